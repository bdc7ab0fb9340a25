//! Reads a structural schema, refusing what is not structural and rules that do not compile.

use serde_json::Value;

use super::compile;
use crate::schema::{Cause, Structural, check_structural};

impl Structural {
    /// Reads an `openAPIV3Schema` (OpenAPI v3 as JSON).
    ///
    /// # Errors
    /// Every reason why an API server would refuse the schema. Fields begin with `openAPIV3Schema`: the caller puts the
    /// place of the schema in front (`spec.validation.` where all versions share one, else `spec.versions[0].schema.`).
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
