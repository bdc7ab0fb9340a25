//! Parses a structural schema, and rejects schemas that are not structural and rules that do not compile.

use serde_json::Value;

use super::compile;
use crate::schema::{Cause, Structural, check_structural};

impl Structural {
    /// Parses an `openAPIV3Schema` (OpenAPI v3 as JSON).
    ///
    /// # Errors
    /// Returns every reason why an API server rejects the schema. Fields begin with `openAPIV3Schema`; the caller adds the path of the
    /// schema (`spec.validation.` if all versions share one, otherwise `spec.versions[0].schema.`).
    pub fn parse(schema: &Value) -> Result<Self, Vec<Cause>> {
        let mut causes = Vec::new();
        let parsed = Self::read(schema);
        check_structural(schema, &parsed, &mut causes);
        if causes.is_empty() {
            compile::check(&parsed, "openAPIV3Schema", &mut causes);
        }
        if causes.is_empty() { Ok(parsed) } else { Err(causes) }
    }
}
