//! The layer that sets the user agent.

use http::{HeaderValue, Request, header};
use kube::client::Body;
use tower::util::MapRequestLayer;

/// Sets the user agent if the request has none. A name that is not a valid header value is omitted.
pub(super) fn agent_layer(agent: &str) -> MapRequestLayer<impl Fn(Request<Body>) -> Request<Body> + Clone + use<>> {
    let agent = HeaderValue::from_str(agent).ok();
    MapRequestLayer::new(move |mut request: Request<Body>| {
        if let Some(agent) = &agent {
            request.headers_mut().entry(header::USER_AGENT).or_insert_with(|| agent.clone());
        }
        request
    })
}
