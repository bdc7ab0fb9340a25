//! Errors of calls to the API server.

use std::fmt;
use std::time::Duration;

use super::detail::ErrorDetail;
use crate::outcome::reporting::{Actions, VariantInfo};
use crate::outcome::{Class, ReconcileError};

/// An error of a call to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiError {
    /// Another client wrote a newer version first (409).
    Conflict(ErrorDetail),
    /// The response names an object that does not exist (404): the object of the call, its namespace, or a subresource.
    ///
    /// A webhook can return the same response. Only a read shows whether the object itself is missing.
    NotFound(ErrorDetail),
    /// The API server does not serve the kind or the path, or does not serve it yet (404 that names no object).
    NotServed(ErrorDetail),
    /// RBAC does not allow the call, or admission refused it (403).
    Forbidden(ErrorDetail),
    /// The API server rejects the content (400, 422).
    Invalid(ErrorDetail),
    /// The API server is busy (429, 503). Contains the duration of its `Retry-After` header.
    Busy(Option<Duration>, ErrorDetail),
    /// The object belongs to another owner, or to none, and was left unchanged. The text names the owner.
    Foreign(ErrorDetail),
    /// Any other error: a network failure, a 500, or a response that cannot be decoded.
    Failed(ErrorDetail),
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.detail().fmt(f)
    }
}

impl std::error::Error for ApiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.detail().source()
    }
}

impl ApiError {
    /// The message of the error, and its source.
    #[must_use]
    pub const fn detail(&self) -> &ErrorDetail {
        match self {
            Self::Conflict(detail)
            | Self::NotFound(detail)
            | Self::NotServed(detail)
            | Self::Forbidden(detail)
            | Self::Invalid(detail)
            | Self::Busy(_, detail)
            | Self::Foreign(detail)
            | Self::Failed(detail) => detail,
        }
    }
}

#[cfg(feature = "dependents")]
impl ApiError {
    /// The same error with another message.
    pub(crate) fn with_message(self, text: String) -> Self {
        match self {
            Self::Conflict(detail) => Self::Conflict(detail.with_message(text)),
            Self::NotFound(detail) => Self::NotFound(detail.with_message(text)),
            Self::NotServed(detail) => Self::NotServed(detail.with_message(text)),
            Self::Forbidden(detail) => Self::Forbidden(detail.with_message(text)),
            Self::Invalid(detail) => Self::Invalid(detail.with_message(text)),
            Self::Busy(after, detail) => Self::Busy(after, detail.with_message(text)),
            Self::Foreign(detail) => Self::Foreign(detail.with_message(text)),
            Self::Failed(detail) => Self::Failed(detail.with_message(text)),
        }
    }
}

const fn variant(reason: &'static str, doc: &'static str) -> VariantInfo {
    VariantInfo::new(reason, "transient", doc, Actions::TRANSIENT)
}

/// The reason while a step waits because a dependent belongs to another owner. It is the same for every error type.
pub(crate) const FOREIGN: &str = "DependentForeign";
const FOREIGN_DOC: &str = "An object that the step would write belongs to another owner, or to none; the object is not changed.\n\n\
    Delete that object, choose another name, or declare `owns(.., adopt = ..)`. The step runs again when that object or its owner changes.";

/// Lets a step that only calls the API server return [`ApiError`] instead of an error type of its own.
///
/// All errors are retried with back-off, since a role, a webhook or another object may change. The exception is
/// [`ApiError::Foreign`], for which the step waits.
impl ReconcileError for ApiError {
    fn class(&self) -> Class {
        match self {
            Self::Foreign(_) => Class::Waiting { poll: None },
            _ => Class::Transient,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Conflict(_) => "Conflict",
            Self::NotFound(_) => "NotFound",
            Self::NotServed(_) => "NotServed",
            Self::Forbidden(_) => "Forbidden",
            Self::Invalid(_) => "Invalid",
            Self::Busy(..) => "ServerBusy",
            Self::Foreign(_) => FOREIGN,
            Self::Failed(_) => "CallFailed",
        }
    }

    const VARIANTS: &'static [VariantInfo] = &[
        variant(
            "Conflict",
            "Another client wrote a newer version first.\n\n\
             None: the next try reads the newer version.",
        ),
        variant(
            "NotFound",
            "The object to write does not exist, or its namespace does not.\n\n\
             Create the namespace that the message names. If the object was deleted meanwhile, none: the operator tries again.",
        ),
        variant(
            "NotServed",
            "The API server does not serve the kind, or does not serve it yet.\n\n\
             Install the CRD of the kind, or enable its API in the API server.",
        ),
        variant(
            "Forbidden",
            "The role of the operator does not allow it.\n\n\
             Compare the role of the operator with the output of its command `rbac`. If the message names a webhook or a policy, \
             change the object or the policy.",
        ),
        variant(
            "Invalid",
            "The API server rejects the content.\n\n\
             Correct the field that the message names: in the spec of the object if a user chose the value, otherwise in the step.",
        ),
        variant(
            "ServerBusy",
            "The API server is busy.\n\n\
             None if it passes. Otherwise lower `--concurrency`, or give the operator a FlowSchema, which its command `manifests \
             --only flow-control` prints.",
        ),
        VariantInfo::new(FOREIGN, "waiting", FOREIGN_DOC, Actions::WAITING),
        variant(
            "CallFailed",
            "The API server did not respond, or its response is not valid.\n\n\
             None if it passes. Otherwise check the network of the pod and the health of the API server.",
        ),
    ];
}
