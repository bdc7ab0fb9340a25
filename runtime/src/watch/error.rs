//! The errors of watches, with a fix for the person who operates them.

use std::fmt;
use std::time::Duration;

use kube::core::Status;

use super::watch_target::WatchTarget;
use crate::api::ApiError;
use crate::api::grant::{Grant, WATCH};
use crate::client::chain;
use crate::client::{LineTooLong, is_too_long};

/// The error that stopped a watch.
#[derive(Debug)]
pub(super) enum Error {
    /// The list, or another call than the watch, failed.
    List(kube::Error),
    /// A page of a list did not arrive in time.
    Unanswered,
    /// The watch did not start.
    Start(kube::Error),
    /// The watch failed after its start.
    Broke(kube::Error),
    /// A streaming list ended before it was complete.
    BrokeOff,
    /// The watch delivered an error event.
    Reported(Box<Status>),
    /// The watch neither delivered anything nor ended within this time.
    Silent(Duration),
    /// A response has no resourceVersion.
    NoVersion,
    /// The server's resourceVersion went back from the first to the second.
    WentBack(String, String),
}

/// The reason why a watch fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WatchError {
    /// The API server does not serve the kind (404).
    Unknown,
    /// The RBAC rules do not allow it (403).
    Forbidden(String),
    /// The server does not accept the credentials (401).
    Unauthorized(String),
    /// The API server cannot be reached.
    Unreachable(String),
    /// The resourceVersion to continue from is too old (410). The watch lists again.
    Expired,
    /// An object exceeds the line limit.
    TooLong,
    /// The watch neither delivers anything nor ends, or a list gets no response.
    Silent(String),
    /// The server's resourceVersion went back, as after a restore of its store.
    WentBack(String),
    /// The API server cannot read the shard selector (500).
    ShardSelector(String),
    /// Any other error.
    Other(String),
}

impl WatchError {
    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::List(error) | Error::Start(error) | Error::Broke(error) => Self::of_client(error),
            Error::Reported(status) => Self::of_status(status),
            Error::NoVersion => Self::Other("the answer has no resourceVersion".into()),
            Error::BrokeOff => Self::Other("the watch ended before the initial list was complete".into()),
            Error::Unanswered => Self::Silent("the API server did not respond to a list in time".into()),
            Error::Silent(time) => Self::Silent(format!("the watch sent no event and did not end within {time:?}")),
            Error::WentBack(from, to) => Self::WentBack(format!(
                "the resource versions went back from {from} to {to}, as after a restore or reset of the API server's store"
            )),
        }
    }

    pub(crate) fn of_client(error: &kube::Error) -> Self {
        match error {
            error if is_too_long(error) => Self::TooLong,
            kube::Error::Api(status) => Self::of_status(status),
            kube::Error::HyperError(_) | kube::Error::Service(_) | kube::Error::ReadEvents(_) => {
                Self::Unreachable(chain(error))
            }
            other => Self::Other(chain(other)),
        }
    }

    fn of_status(status: &kube::core::Status) -> Self {
        match status.code {
            404 => Self::Unknown,
            401 => Self::Unauthorized(status.message.clone()),
            403 => Self::Forbidden(status.message.clone()),
            410 => Self::Expired,
            500 if status.message.contains("shard selector") => Self::ShardSelector(status.message.clone()),
            code => Self::Other(format!("{code}: {}", status.message)),
        }
    }

    /// The fix.
    pub(crate) fn help(&self, place: &WatchTarget) -> String {
        let resource = &place.resource;
        match self {
            Self::Unknown => format!("install the CRD of {}, or serve {}", resource.kind, resource.api_version),
            Self::Forbidden(_) => {
                Grant { verbs: WATCH, resource, subresource: None, namespace: place.namespace.as_deref() }.to_string()
            }
            Self::Unauthorized(_) => CREDENTIALS.into(),
            Self::Unreachable(_) => "check that the API server runs and can be reached".into(),
            Self::Expired | Self::WentBack(_) => "no action is needed: the watch lists again".into(),
            Self::TooLong => "find the oversized object and make it smaller".into(),
            Self::Silent(_) => {
                "check the API server and everything between it and the operator, such as a proxy".into()
            }
            Self::ShardSelector(_) => {
                "disable the feature gate ShardedListAndWatch of the API server, whose form has changed".into()
            }
            Self::Other(_) => "see the log of the API server".into(),
        }
    }
}

/// The fix for rejected credentials.
pub(crate) const CREDENTIALS: &str =
    "check the token or certificate of the operator: it has expired, was revoked, or belongs to another cluster";

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the API server does not serve the kind"),
            Self::Forbidden(text) if text.is_empty() => f.write_str("the role does not allow it"),
            Self::Unauthorized(text) => write!(f, "the API server rejects the credentials: {text}"),
            Self::ShardSelector(text) => write!(f, "the API server does not understand the shard selector: {text}"),
            Self::Forbidden(text)
            | Self::Unreachable(text)
            | Self::Silent(text)
            | Self::WentBack(text)
            | Self::Other(text) => f.write_str(text),
            Self::TooLong => LineTooLong.fmt(f),
            Self::Expired => f.write_str("the resource version to continue from is too old"),
        }
    }
}

impl WatchError {
    /// The error for a pass that requests an object of the watch target.
    pub(super) fn error(&self, place: &WatchTarget) -> ApiError {
        let text = self.to_string();
        match self {
            WatchError::Unknown => ApiError::NotServed(text.into()),
            WatchError::Forbidden(_) => ApiError::Forbidden(format!("{text}; {}", self.help(place)).into()),
            WatchError::Unauthorized(_)
            | WatchError::Unreachable(_)
            | WatchError::Expired
            | WatchError::TooLong
            | WatchError::Silent(_)
            | WatchError::WentBack(_)
            | WatchError::ShardSelector(_)
            | WatchError::Other(_) => ApiError::Failed(text.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn status(code: u16) -> kube::core::Status {
        serde_json::from_value(serde_json::json!({ "code": code, "message": "the text" })).unwrap()
    }

    #[test]
    fn a_server_error_is_classified_by_its_code() {
        for (code, watch_error) in [
            (404, WatchError::Unknown),
            (401, WatchError::Unauthorized("the text".into())),
            (403, WatchError::Forbidden("the text".into())),
            (410, WatchError::Expired),
            (500, WatchError::Other("500: the text".into())),
        ] {
            assert_eq!(WatchError::of_client(&kube::Error::Api(Box::new(status(code)))), watch_error);
            assert_eq!(WatchError::of(&Error::Reported(Box::new(status(code)))), watch_error);
        }
    }

    #[test]
    fn a_broken_connection_differs_from_a_too_large_object() {
        let broken = |cause: io::Error| WatchError::of_client(&kube::Error::ReadEvents(cause));
        assert!(matches!(broken(io::Error::other("reset")), WatchError::Unreachable(text) if text.contains("reset")));
        assert_eq!(broken(io::Error::other(LineTooLong)), WatchError::TooLong);
        assert!(matches!(WatchError::of_client(&kube::Error::TlsRequired), WatchError::Other(_)));
        assert!(matches!(WatchError::of(&Error::Unanswered), WatchError::Silent(_)));
        assert!(matches!(WatchError::of(&Error::WentBack("7".into(), "6".into())), WatchError::WentBack(_)));
    }

    #[test]
    fn a_watch_error_becomes_the_matching_api_error() {
        let kind = crate::wiring::KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        let place = crate::watch::Scope::default().place(&kind, None);
        assert!(matches!(WatchError::Unknown.error(&place), ApiError::NotServed(_)));
        assert!(matches!(WatchError::Expired.error(&place), ApiError::Failed(_)));
        let refused = WatchError::Forbidden(String::new()).error(&place);
        assert!(matches!(refused, ApiError::Forbidden(text) if text.contains("the role does not allow it; ")));
    }

    #[test]
    fn the_server_message_of_a_403_is_shown() {
        assert_eq!(WatchError::Forbidden("no such token".into()).to_string(), "no such token");
        assert_eq!(WatchError::Forbidden(String::new()).to_string(), "the role does not allow it");
    }

    #[test]
    fn each_watch_error_has_its_help() {
        let kind = crate::wiring::KindInfo::of::<k8s_openapi::api::core::v1::Secret>();
        let place = crate::watch::Scope::default().place(&kind, None);
        for (watch_error, words) in [
            (WatchError::Unknown, "install the CRD of Secret"),
            (WatchError::Forbidden(String::new()), "secrets"),
            (WatchError::Unauthorized(String::new()), "token or certificate"),
            (WatchError::Unreachable(String::new()), "can be reached"),
            (WatchError::Expired, "no action is needed"),
            (WatchError::TooLong, "make it smaller"),
            (WatchError::Silent(String::new()), "proxy"),
            (WatchError::ShardSelector(String::new()), "ShardedListAndWatch"),
            (WatchError::Other(String::new()), "log of the API server"),
        ] {
            assert!(watch_error.help(&place).contains(words), "{}", watch_error.help(&place));
        }
    }
}
