//! The HTTP service that the API server calls for objects in another version.

use std::convert::Infallible;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode};
use serde_json::value::RawValue;
use tower::Service;

use super::converter::{Converted, Converter, Ended, name};
use super::envelope::{self, parse};
use super::meter::{ConversionResult, MeterSlot};
use super::reply::reply;
use crate::listen::{error, whole};
use crate::wiring::{CONVERSIONS, conversion_path};

/// The HTTP service of the conversions. [`Operator::conversion_service`](crate::Operator::conversion_service) creates it.
///
/// It answers `POST /convert/<name of the CRD>` with a `ConversionReview` of `apiextensions.k8s.io/v1`. It does not encrypt and does not
/// authenticate. It needs no client, no list and no lease, and answers as soon as it exists.
///
/// Bodies larger than 8 MiB are refused. Clones share all state.
#[derive(Clone)]
pub struct ConversionService {
    converters: Arc<[Converter]>,
    meter: MeterSlot,
}

impl ConversionService {
    pub(crate) fn new(converters: Vec<Converter>, meter: MeterSlot) -> Self {
        Self { converters: converters.into(), meter }
    }

    /// The same as routes of axum.
    pub fn into_router(self) -> Router {
        Router::new().route_service(&format!("{CONVERSIONS}{{*crd}}"), self)
    }

    fn paths(&self) -> String {
        let paths = self.converters.iter().map(|converter| conversion_path(converter.crd()));
        paths.collect::<Vec<_>>().join(", ")
    }

    async fn answer(self, request: Request<Body>) -> Response<Body> {
        let at = request.uri().path().to_owned();
        let Some(converter) = self.converters.iter().find(|converter| conversion_path(converter.crd()) == at) else {
            let message =
                format!("no kind is converted at {at}: correct `spec.conversion` in the CRD ({})", self.paths());
            return error(StatusCode::NOT_FOUND, &message);
        };
        if request.method() != Method::POST {
            let message = format!("{at} answers POST only, with a {} as the body", envelope::KIND);
            return error(StatusCode::METHOD_NOT_ALLOWED, &message);
        }
        let media = request.headers().get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default().to_owned());
        if let Some(media) = media.filter(|media| !is_json(media)) {
            let message = format!("{at} reads application/json, and no {media:?}: send a {} as JSON", envelope::KIND);
            return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, &message);
        }
        let body = match whole(request.into_body(), "let the API server send fewer objects at a time").await {
            Ok(body) => body,
            Err((code, message)) => return error(code, &message),
        };
        match parse(&body) {
            Ok(review) => reply(&review.uid, &self.convert(converter, &review)),
            Err(message) => error(StatusCode::BAD_REQUEST, &message),
        }
    }

    fn convert(&self, converter: &Converter, review: &envelope::Request<'_>) -> Result<Vec<Box<RawValue>>, String> {
        review.objects.iter().map(|object| self.convert_one(converter, object, &review.desired)).collect()
    }

    fn convert_one(&self, converter: &Converter, object: &RawValue, desired: &str) -> Result<Box<RawValue>, String> {
        let crd = converter.crd();
        let version = desired.rsplit('/').next().unwrap_or_default();
        let record = |result| self.meter.record(crd, version, result);
        let converted = converter.convert(object, desired);
        let Converted { object: converted, ended } = match converted {
            Ok(converted) => converted,
            Err(message) => {
                record(ConversionResult::Refused);
                tracing::error!(crd, version, error = message, "the objects were not converted");
                return Err(message);
            }
        };
        match ended {
            Ended::Converted => record(ConversionResult::Converted),
            Ended::Undecodable(error) => {
                record(ConversionResult::Undecodable);
                let object = name(object);
                tracing::warn!(
                    crd,
                    version,
                    object,
                    error,
                    "the object does not fit its type, and only its apiVersion was changed"
                );
            }
            Ended::Panicked => {
                record(ConversionResult::Panic);
                let object = name(object);
                tracing::error!(
                    crd,
                    version,
                    object,
                    "the conversion panicked, and only the apiVersion of the object was changed"
                );
            }
        }
        Ok(converted)
    }
}

fn is_json(media: &str) -> bool {
    let essence = media.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

impl Service<Request<Body>> for ConversionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = AssertUnwindSafe(self.clone().answer(request)).catch_unwind();
        let failed =
            |_| error(StatusCode::INTERNAL_SERVER_ERROR, "the conversion panicked: see the log of the operator");
        async move { Ok(answer.await.unwrap_or_else(failed)) }.boxed()
    }
}

impl fmt::Debug for ConversionService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConversionService").field("paths", &self.paths()).finish_non_exhaustive()
    }
}
