//! The content of an API error: its text, and the error that caused it.

use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The message of an [`ApiError`](crate::ApiError), with its source if there is one.
///
/// It dereferences to the message, and is created from a text. Two details are equal if their messages are.
///
/// ```
/// use evenkeel::ApiError;
///
/// /// The HTTP status code of the response, if there was one.
/// fn code(error: &ApiError) -> Option<u16> {
///     match error.detail().source()?.downcast_ref()? {
///         kube::Error::Api(status) => Some(status.code),
///         _ => None,
///     }
/// }
/// assert_eq!(code(&ApiError::Conflict("the object has changed".into())), None);
/// ```
#[derive(Clone, Debug)]
pub struct ErrorDetail {
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ErrorDetail {
    /// A message and the error that caused it.
    #[must_use]
    pub fn caused_by(message: impl Into<String>, source: impl Error + Send + Sync + 'static) -> Self {
        Self { message: message.into(), source: Some(Arc::new(source)) }
    }

    /// The error that caused this one: in an operator the [`kube::Error`] of the call, with the `Status` of the response.
    ///
    /// An error in decoding a response has no source, since its text may quote a secret.
    #[must_use]
    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }

    /// The same source with another message.
    #[cfg(any(feature = "dependents", feature = "operator"))]
    pub(crate) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }
}

impl<T: Into<String>> From<T> for ErrorDetail {
    fn from(message: T) -> Self {
        Self { message: message.into(), source: None }
    }
}

impl Deref for ErrorDetail {
    type Target = str;

    fn deref(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ErrorDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl PartialEq for ErrorDetail {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl Eq for ErrorDetail {}
