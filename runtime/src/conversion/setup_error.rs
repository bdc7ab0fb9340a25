//! The error of conversions that contradict the schema of their kind.

/// Why the conversions of a kind cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct SetupError {
    pub headline: String,
    pub help: String,
}
