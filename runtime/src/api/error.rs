//! What may go wrong with a call to the API server.

use std::fmt;
use std::time::Duration;

use crate::outcome::reporting::{Actions, VariantInfo};
use crate::outcome::{Class, ReconcileError};

/// What may go wrong with a call to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiError {
    /// Another client wrote a newer version first (409).
    Conflict(String),
    /// The answer names an object that is not there (404): the one of the call, its namespace, or a subresource of it. A webhook answers so,
    /// too; that the object of the call is gone shows only in a read of it.
    NotFound(String),
    /// The API server does not serve the kind or the path, or does not serve it yet (404 that names no object).
    NotServed(String),
    /// The role does not allow it (403).
    Forbidden(String),
    /// The server refuses the content (400, 422).
    Invalid(String),
    /// The server is busy (429, 503), with its `Retry-After`.
    Busy(Option<Duration>, String),
    /// The object belongs to another owner, or to none: it was left as it is. The text names the owner.
    Foreign(String),
    /// Anything else: the network, a 500, an answer that cannot be decoded.
    Failed(String),
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(text)
            | Self::NotFound(text)
            | Self::NotServed(text)
            | Self::Forbidden(text)
            | Self::Invalid(text)
            | Self::Busy(_, text)
            | Self::Foreign(text)
            | Self::Failed(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ApiError {}

const fn variant(reason: &'static str, doc: &'static str) -> VariantInfo {
    VariantInfo::new(reason, "transient", doc, Actions::TRANSIENT)
}

/// The reason of an object that waits for one that is another's, whatever the error type of its step is.
pub(crate) const FOREIGN: &str = "DependentForeign";
const FOREIGN_DOC: &str = "An object that it would write belongs to another owner, or to none; it is left as it is.\n\n\
    Delete that object, choose another name, or declare `owns(.., adopt = ..)`. It runs again when that object or its owner changes.";

/// A step that does nothing but talk to the API server needs no error type of its own: whatever is refused is tried again with back-off,
/// as a role, a webhook or another object may change. An object of another owner is waited for.
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
        variant("Conflict", "Somebody wrote a newer version first."),
        variant("NotFound", "What was to be written is not there, or its namespace is not."),
        variant("NotServed", "The API server does not serve the kind, or does not serve it yet."),
        variant("Forbidden", "The role of the operator does not allow it."),
        variant("Invalid", "The API server refuses the content."),
        variant("ServerBusy", "The API server is busy."),
        VariantInfo::new(FOREIGN, "waiting", FOREIGN_DOC, Actions::WAITING),
        variant("CallFailed", "The API server did not answer, or not as it should."),
    ];
}
