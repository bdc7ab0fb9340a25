//! Clients that act as another user.

use futures::future;
use http::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use http::{HeaderMap, Request, Response};
use kube::client::Body;
use tower::layer::layer_fn;
use tower::util::MapRequestLayer;
use tower::{BoxError, service_fn};

use super::declared_calls::NotSent;
use super::middleware::{Calls, over};
use super::observed_call::StepClient;
use crate::api::Identity;

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");

impl StepClient {
    /// The same client, which acts as this user.
    pub(crate) fn acting_as(&self, identity: &Identity) -> Self {
        let headers = match headers(identity) {
            Ok(headers) => headers,
            Err(error) => return self.refusing(&error.to_string()),
        };
        let add = move |mut request: Request<Body>| {
            request.headers_mut().extend(headers.clone());
            request
        };
        Self { client: over(&self.client, &MapRequestLayer::new(add)), ..self.clone() }
    }

    /// A client that sends nothing, and fails with this text.
    pub(crate) fn refusing(&self, why: &str) -> Self {
        let layer = layer_fn(|_: Calls| {
            let why = why.to_owned();
            service_fn(move |_: Request<Body>| {
                future::ready(Err::<Response<Body>, BoxError>(NotSent::because(why.clone()).into()))
            })
        });
        Self { client: over(&self.client, &layer), ..self.clone() }
    }
}

/// The headers of a request in the name of this user.
fn headers(identity: &Identity) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    headers.insert(USER, HeaderValue::from_str(identity.user())?);
    for group in identity.groups() {
        headers.append(GROUP, HeaderValue::from_str(group)?);
    }
    Ok(headers)
}
