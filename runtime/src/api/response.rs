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

    /// Whether the namespace of the object is being deleted, so that nothing can be created in it.
    pub(crate) fn is_namespace_terminating(&self) -> bool {
        let details = self.status().filter(|status| status.code == 403).and_then(|status| status.details.as_ref());
        details.is_some_and(|details| details.causes.iter().any(|cause| cause.reason == TERMINATING))
    }
}
