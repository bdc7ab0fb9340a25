//! The record of the last pass in the status: `observedInputs`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wiring::policy::Policy;

/// The inputs of the last reconcile, by which the controller detects unchanged objects. Written only when it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ObservedInputs {
    /// Hash of the controller's configuration for the kind at the last reconcile.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wiring: String,
    /// Hash of the inputs of the last reconcile; `not-final` if that reconcile is waiting, failed, or will run again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The objects that the last reconcile read by name: `v1/Secret/team-a/token`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The policy of the last reconcile: `manage`, `skip`, `detach-on-delete`, or `unknown`.
    // In memory `manage` is an empty text, as nearly all objects have it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "unless_managed")]
    pub policy: String,
    /// Labels and annotations that the controller set itself: `labels/example.com/tier`. A change of one triggers a reconcile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<String>,
    /// Whether the controller has handled the object as a new one; false until that has succeeded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added: bool,
}

/// The digest of an outcome that is not final; it differs from every hash. It is written, since an omitted field retains its value if
/// another manager owns it.
pub(crate) const NOT_FINAL: &str = "not-final";

/// A placeholder for the hash of the wiring in a status that a patch wrote, until server-side apply owns its fields.
pub(crate) const PATCHED: &str = "patched";

impl ObservedInputs {
    /// Whether the last outcome was final.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(&*self.digest, "" | NOT_FINAL)
    }

    /// The same for an outcome that is not final.
    pub(crate) fn not_final(self) -> Self {
        Self { digest: NOT_FINAL.to_owned(), ..self }
    }

    /// The same for a write by a patch.
    pub(crate) fn patched(self) -> Self {
        Self { wiring: PATCHED.to_owned(), ..self.not_final() }
    }
}

/// Reads a policy. `manage` becomes the empty string, as most objects have it.
pub(crate) fn unless_managed<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let policy = String::deserialize(deserializer)?;
    Ok(if policy == Policy::Manage.as_str() { String::new() } else { policy })
}
