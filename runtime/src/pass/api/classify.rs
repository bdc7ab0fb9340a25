//! Classifies the errors of calls, those without a response included.

use std::time::Duration;

use kube::Error;
use kube::core::Status;

use crate::api::{ApiError, ErrorDetail};
use crate::client::{Ended, NotSent, chain};
use crate::watch::CREDENTIALS;

/// Whether the error is the server's answer to a read of an object that does not exist. Servers that do not serve the kind (yet) and
/// proxies answer 404, too, but without the object's name.
pub(super) fn is_absent(error: &Error, name: &str) -> bool {
    matches!(error, Error::Api(status) if status.code == 404 && status.reason == "NotFound" && named(status) == Some(name))
}

/// The name of the object in the response.
fn named(status: &Status) -> Option<&str> {
    status.details.as_ref().map(|details| &*details.name).filter(|name| !name.is_empty())
}

impl ApiError {
    /// Whether the server answered 404, for the object or for its kind.
    pub(crate) const fn is_404(&self) -> bool {
        matches!(self, Self::NotFound(_) | Self::NotServed(_))
    }
}

/// An error of a call that a step sent itself, with [`Cx::client`](crate::Cx::client).
///
/// A call that the step does not declare is [`Forbidden`](ApiError::Forbidden).
impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        classify(error)
    }
}

/// Classifies an error of the client, which becomes the source.
pub(super) fn classify(error: Error) -> ApiError {
    if let Error::Service(cause) = &error
        && let Some(why) = cause.downcast_ref::<NotSent>()
    {
        return ApiError::Forbidden(why.to_string().into());
    }
    if Ended::is_cause_of(&error) {
        return ApiError::Failed(Ended.to_string().into());
    }
    let Error::Api(status) = &error else {
        let text = format!("no response from the API server: {}", chain(&error));
        // The text of such an error may quote a secret.
        let is_undecoded = matches!(error, Error::SerdeError(_));
        return ApiError::Failed(if is_undecoded { text.into() } else { ErrorDetail::caused_by(text, error) });
    };
    let text = if status.message.is_empty() { status.reason.clone() } else { status.message.clone() };
    let (code, reason, is_named) = (status.code, status.reason.clone(), named(status).is_some());
    let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let detail = |text: String| ErrorDetail::caused_by(text, error);
    match (code, &*reason) {
        (409, "AlreadyExists") => ApiError::Failed(detail(text)),
        (409, _) => ApiError::Conflict(detail(text)),
        (404, "NotFound") if is_named => ApiError::NotFound(detail(text)),
        (404, _) => ApiError::NotServed(detail(text)),
        (401, _) => ApiError::Failed(detail(format!("the API server rejects the credentials: {text}; {CREDENTIALS}"))),
        (403, _) => ApiError::Forbidden(detail(text)),
        (400 | 422, _) => ApiError::Invalid(detail(text)),
        (429 | 503, _) => {
            let after = (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)));
            ApiError::Busy(after, detail(text))
        }
        (code, _) => ApiError::Failed(detail(format!("{code}: {text}"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(code: u16, reason: &str, name: &str) -> Status {
        let text = "the text";
        serde_json::from_value(json!({ "code": code, "reason": reason, "message": text, "details": { "name": name } }))
            .unwrap()
    }

    fn class(code: u16, reason: &str, name: &str) -> ApiError {
        classify(Error::Api(status(code, reason, name).boxed()))
    }

    #[test]
    fn only_a_404_that_names_an_object_is_not_found() {
        assert!(matches!(class(404, "NotFound", "w"), ApiError::NotFound(_)));
        assert!(matches!(class(404, "NotFound", ""), ApiError::NotServed(_)));
        assert!(matches!(class(404, "", "w"), ApiError::NotServed(_)));
        assert_eq!((named(&status(404, "NotFound", "w")), named(&status(404, "NotFound", ""))), (Some("w"), None));
        assert_eq!(named(&Status::default()), None);
        let absent = |name| is_absent(&Error::Api(status(404, "NotFound", "w").boxed()), name);
        assert_eq!((absent("w"), absent("v")), (true, false));
        assert!(!is_absent(&Error::Api(status(410, "NotFound", "w").boxed()), "w"));
        assert!(!is_absent(&Error::Api(status(404, "Gone", "w").boxed()), "w"));
        assert!(
            class(404, "NotFound", "w").is_404() && class(404, "", "").is_404() && !class(410, "Gone", "w").is_404()
        );
    }

    #[test]
    fn each_error_response_has_its_api_error() {
        assert!(matches!(class(409, "AlreadyExists", "w"), ApiError::Failed(text) if *text == *"the text"));
        assert!(matches!(class(409, "Conflict", "w"), ApiError::Conflict(text) if *text == *"the text"));
        assert!(matches!(class(401, "Unauthorized", ""), ApiError::Failed(text) if text.contains("credentials")));
        assert!(matches!(class(403, "Forbidden", ""), ApiError::Forbidden(_)));
        for code in [400, 422] {
            assert!(matches!(class(code, "Invalid", "w"), ApiError::Invalid(_)));
        }
        assert!(matches!(class(500, "InternalError", ""), ApiError::Failed(text) if *text == *"500: the text"));
        let silent = Status { message: String::new(), ..status(403, "Forbidden", "") };
        assert!(matches!(classify(Error::Api(silent.boxed())), ApiError::Forbidden(text) if *text == *"Forbidden"));
    }

    #[test]
    fn an_error_keeps_its_source() {
        let error = class(403, "Forbidden", "w");
        let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<Error>());
        assert!(matches!(source, Some(Error::Api(status)) if status.code == 403), "{source:?}");
        let undecoded = serde_json::from_str::<u8>("\"secret\"").unwrap_err();
        let undecoded = classify(Error::SerdeError(undecoded));
        assert!(undecoded.detail().source().is_none(), "the text may quote a secret");
    }

    #[test]
    fn retry_after_of_a_busy_server_is_optional() {
        for code in [429, 503] {
            for (seconds, after) in [(0, None), (1, Some(Duration::from_secs(1))), (7, Some(Duration::from_secs(7)))] {
                let mut busy = status(code, "TooManyRequests", "");
                busy.details.as_mut().unwrap().retry_after_seconds = seconds;
                assert!(matches!(classify(Error::Api(busy.boxed())), ApiError::Busy(asked, _) if asked == after));
            }
        }
    }
}
