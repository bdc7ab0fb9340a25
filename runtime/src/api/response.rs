//! The response of the API server that an error came from.

use kube::core::Status;

use super::ApiError;

/// The cause in the response to a create in a namespace that is being deleted.
const TERMINATING: &str = "NamespaceTerminating";

impl ApiError {
    /// The response. `None`: the error has another source.
    #[cfg(feature = "operator")]
    pub(crate) fn status(&self) -> Option<&Status> {
        match self.detail().source()?.downcast_ref()? {
            kube::Error::Api(status) => Some(status),
            _ => None,
        }
    }

    /// There is no client, so there is no response either.
    #[cfg(not(feature = "operator"))]
    pub(crate) const fn status(&self) -> Option<&Status> {
        None
    }

    /// Whether the call may still be carried out although it failed: no answer came, or that of a server which gave up waiting.
    #[cfg(all(feature = "dependents", feature = "operator"))]
    pub(crate) fn is_unanswered(&self) -> bool {
        match self.status() {
            Some(status) => status.code == 504 || status.code == 500 && status.message.contains("timed out"),
            None => matches!(self, Self::Failed(_)),
        }
    }

    /// Whether the namespace of the object is being deleted, so that nothing can be created in it.
    pub(crate) fn is_namespace_terminating(&self) -> bool {
        let details = self.status().filter(|status| status.code == 403).and_then(|status| status.details.as_ref());
        details.is_some_and(|details| details.causes.iter().any(|cause| cause.reason == TERMINATING))
    }
}

#[cfg(all(test, feature = "dependents", feature = "operator"))]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::ErrorDetail;

    #[test]
    fn only_a_call_without_an_answer_may_still_be_carried_out() {
        let answer = |code: u16, message: &str| {
            let status = json!({ "status": "Failure", "code": code, "reason": "x", "message": message });
            let source = kube::Error::Api(Box::new(serde_json::from_value(status).unwrap()));
            ApiError::Failed(ErrorDetail::caused_by(message, source)).is_unanswered()
        };
        assert!(answer(504, "no") && answer(500, "etcdserver: request timed out"));
        assert!(!answer(500, "etcdserver: request is too large") && !answer(403, "timed out") && !answer(409, "no"));
        assert!(ApiError::Failed("connection reset".into()).is_unanswered());
        assert!(!ApiError::Foreign("of another owner".into()).is_unanswered());
    }
}
