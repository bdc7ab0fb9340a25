//! The refusal of a write, or an error that prevented the review.

use std::fmt;

use crate::api::ApiError;

/// The refusal of a write: `Err(Denial::new("..."))`.
///
/// The API server answers 422 `Invalid` with the message. [`Review::deny`](crate::Review::deny) adds a message with the field that is wrong,
/// and lets the function find further ones.
///
/// An [`ApiError`] becomes a `Denial` with `?`. It is not the fault of the user: the function then answers 503, and the failure policy of the
/// function decides about the write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial(pub(crate) Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The write is refused.
    Refused(Cause),
    /// The review needs an answer of the API server, and there is none.
    Unavailable(ApiError),
}

/// One reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    /// The path on the wire: `spec.team`; empty if the object as a whole is wrong.
    pub(crate) field: String,
    pub(crate) message: String,
}

impl Denial {
    /// Refuses the write with a message for the user.
    ///
    /// Name what is wrong and how to fix it. If it is about one field, use [`Review::denial`](crate::Review::denial).
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(Cause { field: String::new(), message: message.into() })
    }

    pub(crate) const fn of(cause: Cause) -> Self {
        Self(Kind::Refused(cause))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.field.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.field, self.message)
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Refused(cause) => cause.fmt(f),
            Kind::Unavailable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Denial {}

impl From<ApiError> for Denial {
    fn from(error: ApiError) -> Self {
        Self(Kind::Unavailable(error))
    }
}
