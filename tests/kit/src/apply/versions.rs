//! The versions of a custom kind, as the ownership of fields requires them.

use std::fmt;

use serde_json::Value;

use crate::schema::Structural;

/// The versions of a custom kind.
pub trait Versions: fmt::Debug {
    /// The schema of a version such as `ex.dev/v1`; `None` if the CRD has no such version.
    fn schema(&self, api_version: &str) -> Option<&Structural>;

    /// Converts an object to a version.
    ///
    /// # Errors
    /// Returns the message of an API server if the conversion fails.
    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, String>;
}
