//! The writer of a request: its manager, time and rules.

use super::versions::Versions;
use crate::schema::Structural;

/// The source of the types of lists and maps.
#[derive(Clone, Copy, Debug)]
pub enum Lists<'a> {
    /// A custom resource: its schema.
    Structural(&'a Structural),
    /// A custom resource with several versions: the schema of the request's version, and the versions.
    Versions(&'a Structural, &'a dyn Versions),
    /// A built-in kind, identified by the `apiVersion` and `kind` of the object: the schema that API servers publish.
    Deduced,
}

/// The writer and the time of a write.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// The version of the request, such as `ex.dev/v1`.
    pub api_version: &'a str,
    /// `status` or `scale`, or nothing for the object itself.
    pub subresource: Option<&'a str>,
    /// The time of the request, RFC 3339 to the second.
    pub time: &'a str,
    /// The ownership rules that apply.
    pub rules: Rules,
}

/// The ownership rules, which depend on the Kubernetes release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Kubernetes 1.22 and later: entries record the subresource of the write, and the status is owned by its writers.
    #[default]
    Today,
    /// Kubernetes before 1.22: entries do not record the subresource, and the creator of an object owns the defaults of its status. Once
    /// none of those defaults is left, ownership of the whole status becomes ownership of each of its fields.
    Before122,
}

/// How an apply handles fields of other managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Returns a conflict.
    No,
    /// Takes over their ownership.
    Yes,
}
