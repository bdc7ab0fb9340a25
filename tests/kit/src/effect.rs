//! Effects: what a fault does to a request.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response};
use serde_json::json;

use crate::api_error::{About, Failure};
use crate::log::Entry;
use crate::route::Route;

/// Declares the effects and the list of all of them, which is therefore complete.
macro_rules! effects {
    ($($(#[$doc:meta])* $name:ident $(($field:ty = $value:expr))?,)*) => {
        /// The effect of a fault on a request.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Effect {
            $($(#[$doc])* $name $(($field))?,)*
        }

        impl Effect {
            /// One example of each effect.
            pub const ALL: &'static [Self] = &[$(Self::$name $(($value))?,)*];
        }
    };
}

effects! {
    /// 409 Conflict: the object was modified.
    Conflict,
    /// 410 Expired.
    ///
    /// A watch receives it as from a real server: status 200 with an ERROR event, then the end of the stream.
    Expired,
    /// 429 TooManyRequests with a Retry-After of this many seconds.
    TooManyRequests(u64 = 1),
    /// 500 InternalError.
    Internal,
    /// 503 ServiceUnavailable.
    Unavailable,
    /// 504 Timeout. The request is not carried out, but the client cannot know that.
    Timeout,
    /// 401 Unauthorized: the credentials are not accepted.
    Unauthorized,
    /// 403 Forbidden, as without the required RBAC rules.
    Forbidden,
    /// 403 in plain text without a Status object, as a proxy sends it.
    BareForbidden,
    /// A response after this delay.
    ///
    /// A request with a shorter `timeout` in its query ends then with a 504, and is not carried out.
    Latency(Duration = Duration::from_secs(5)),
    /// No response at all.
    Hang,
    /// 500 InternalError, although the request is carried out.
    LostAnswer,
    /// The request is carried out, and the connection breaks during the response.
    HalfBody,
    /// The watch starts, and is closed after this time.
    DropWatch(Duration = Duration::from_secs(5)),
    /// 404 in plain text: `404 page not found`.
    ///
    /// A server sends it for a path that it does not serve, or not yet.
    PageNotFound,
    /// 404 for the kind: a Status with the reason `NotFound` that names no object.
    KindNotFound,
    /// 404 that names the object although it exists.
    ///
    /// A server sends it for a custom resource without this subresource.
    SubresourceNotFound,
    /// 503 with a Retry-After of five seconds, as from a starting server.
    ///
    /// Such a server has not installed all paths yet.
    Starting,
    /// 200 with a body that is not JSON, as from a proxy.
    Garbage,
    /// 200 with JSON of another kind.
    OtherJson,
    /// Any other status code, such as 413 or 422, with its Kubernetes reason.
    Status(u16 = 413),
}

impl Effect {
    /// Returns whether this effect can occur on any request.
    ///
    /// An API server or a proxy causes such effects regardless of the resource of a request.
    #[must_use]
    pub const fn is_of_a_connection(&self) -> bool {
        match self {
            Effect::Unauthorized
            | Effect::Forbidden
            | Effect::BareForbidden
            | Effect::Hang
            | Effect::HalfBody
            | Effect::PageNotFound
            | Effect::KindNotFound
            | Effect::Starting
            | Effect::Garbage
            | Effect::OtherJson => true,
            Effect::Conflict
            | Effect::Expired
            | Effect::TooManyRequests(_)
            | Effect::Internal
            | Effect::Unavailable
            | Effect::Timeout
            | Effect::Latency(_)
            | Effect::LostAnswer
            | Effect::DropWatch(_)
            | Effect::SubresourceNotFound
            | Effect::Status(_) => false,
        }
    }

    /// Returns the response to a request of this path.
    ///
    /// Returns `None` if the effect does not replace the response, such as [`Latency`](Self::Latency), or if the path is
    /// invalid.
    ///
    /// ```
    /// use evenkeel_testkit::Effect;
    /// let answer = Effect::PageNotFound.answer("/apis/ex.dev/v1/widgets").unwrap();
    /// assert_eq!((answer.status().as_u16(), &answer.body()[..]), (404, &b"404 page not found\n"[..]));
    /// ```
    #[must_use]
    pub fn answer(&self, path: &str) -> Option<Response<Bytes>> {
        let (parts, body) = Request::get(path).body(Bytes::new()).ok()?.into_parts();
        self.answer_to(&Entry::new(&Route::parse(parts.uri.path()), &parts, &body))
    }

    /// Returns the response, if the effect is one.
    pub(crate) fn answer_to(&self, entry: &Entry) -> Option<Response<Bytes>> {
        match self {
            Effect::Garbage => Some(page("text/html", "<html>It works!</html>".to_owned())),
            Effect::OtherJson => {
                let greeting = json!({"kind": "Greeting", "apiVersion": "v1", "text": "hello"});
                Some(page("application/json", greeting.to_string()))
            }
            refusal => refusal.failure(entry).map(Failure::into_bytes),
        }
    }

    fn failure(&self, entry: &Entry) -> Option<Failure> {
        let name = entry.name.as_deref().unwrap_or_default();
        let failure = match self {
            Effect::Conflict => Failure::status(
                409,
                "Conflict",
                format!("Operation cannot be fulfilled on {} \"{name}\": the object has been modified", entry.resource),
            ),
            Effect::Expired => Failure::expired("too old resource version: injected by a fault rule"),
            Effect::TooManyRequests(seconds) => {
                let failure = Failure::status(429, "TooManyRequests", "too many requests: injected by a fault rule");
                failure.after(*seconds)
            }
            Effect::Internal | Effect::LostAnswer => {
                Failure::status(500, "InternalError", "internal error: injected by a fault rule")
            }
            Effect::Unavailable => {
                Failure::status(503, "ServiceUnavailable", "service unavailable: injected by a fault rule")
            }
            Effect::Timeout => {
                let failure = Failure::status(504, "Timeout", "request did not complete: injected by a fault rule");
                failure.with_details(json!({"retryAfterSeconds": 1}))
            }
            Effect::PageNotFound => Failure::unserved(),
            Effect::KindNotFound => Failure::unknown_resource(),
            Effect::SubresourceNotFound => {
                Failure::not_found(About { group: &entry.group, kind: &entry.resource, name })
            }
            Effect::Starting => Failure::starting(),
            Effect::Status(code) => Failure::status(*code, reason(*code), format!("{code}: injected by a fault rule")),
            Effect::Unauthorized => Failure::status(401, "Unauthorized", "Unauthorized"),
            Effect::Forbidden => {
                let message = format!("{} \"{name}\" is forbidden: injected by a fault rule", entry.resource);
                Failure::status(403, "Forbidden", message)
            }
            Effect::BareForbidden => Failure::text(403, "forbidden\n"),
            Effect::Latency(_)
            | Effect::Hang
            | Effect::HalfBody
            | Effect::DropWatch(_)
            | Effect::Garbage
            | Effect::OtherJson => return None,
        };
        Some(failure)
    }
}

/// Returns a 200 response with an unexpected body.
fn page(media: &'static str, text: String) -> Response<Bytes> {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Returns half of the first chunk of a response, followed by a broken connection.
pub(crate) fn torn(response: Response<Body>) -> Response<Body> {
    let broken = || stream::iter([Err(axum::Error::new("the connection broke: injected by a fault rule"))]);
    response.map(|body| {
        let first = body.into_data_stream().take(1);
        let half = first.map(|part| part.map(|bytes: Bytes| bytes.slice(..bytes.len() / 2)));
        Body::from_stream(half.chain(broken()))
    })
}

/// Returns the Kubernetes reason of a status code.
fn reason(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        409 => "Conflict",
        410 => "Expired",
        413 => "RequestEntityTooLarge",
        415 => "UnsupportedMediaType",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        504 => "Timeout",
        _ => "",
    }
}
