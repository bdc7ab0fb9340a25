//! The errors of server-side apply.

use std::collections::BTreeMap;
use std::fmt;

use super::managed_fields::{Entry, Id, Operation};
use super::path_element::path_text;
use super::set::Set;
use crate::schema::Cause;

/// A field that the configuration changes and that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The manager that owns the field.
    pub manager: String,
    /// The subresource through which the manager owns the field, if any.
    pub subresource: Option<String>,
    /// The API version that the manager used.
    pub api_version: String,
    /// The operation by which the manager owns the field.
    pub operation: Operation,
    /// The path, with a leading dot: `.spec.env[name="A"].value`.
    pub field: String,
}

impl Conflict {
    /// One conflict for each path of `set`.
    pub(crate) fn all(id: &Id, entry: &Entry, set: &Set) -> Vec<Self> {
        let conflict = |field: String| Self {
            manager: id.manager.clone(),
            subresource: Some(id.subresource.clone()).filter(|name| !name.is_empty()),
            api_version: entry.api_version.clone(),
            operation: id.operation,
            field,
        };
        set.paths().iter().map(|path| conflict(path_text(path))).collect()
    }

    /// The owner of the field, such as `"m1" with subresource "status" using ex.dev/v1`.
    fn owner(&self) -> String {
        let mut text = format!("{:?}", self.manager);
        if let Some(subresource) = &self.subresource {
            text.push_str(&format!(" with subresource {subresource:?}"));
        }
        if self.operation == Operation::Update {
            text.push_str(&format!(" using {}", self.api_version));
        }
        text
    }

    /// The entry of `details.causes`.
    #[must_use]
    pub fn cause(&self) -> Cause {
        Cause {
            reason: "FieldManagerConflict".to_owned(),
            message: format!("conflict with {}", self.owner()),
            field: self.field.clone(),
        }
    }
}

/// The error of an apply; the live object is unchanged. `Display` prints the `message` of the Kubernetes `Status`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApplyError {
    /// Other managers own fields that the apply changes: HTTP 409, reason `Conflict`; `details` contains only the causes.
    Conflicts(Vec<Conflict>),
    /// The configuration does not match the schema: HTTP 500 without a reason, as an API server returns.
    Typed(String),
    /// The body must not be applied: HTTP 400, reason `BadRequest`.
    Invalid(String),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflicts(conflicts) => f.write_str(&conflicts_text(conflicts)),
            Self::Typed(text) | Self::Invalid(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ApplyError {}

fn conflicts_text(conflicts: &[Conflict]) -> String {
    if let [conflict] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {}: {}", conflict.owner(), conflict.field);
    }
    let mut by_owner: BTreeMap<String, String> = BTreeMap::new();
    for conflict in conflicts {
        by_owner.entry(conflict.owner()).or_default().push_str(&format!("\n- {}", conflict.field));
    }
    let owners: Vec<_> = by_owner.iter().map(|(owner, fields)| format!("conflicts with {owner}:{fields}")).collect();
    format!("Apply failed with {} conflicts: {}", conflicts.len(), owners.join("\n"))
}
