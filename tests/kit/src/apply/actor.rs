//! Who writes, when, and by which rules.

use crate::schema::Structural;

/// Where the types of lists and maps come from.
#[derive(Clone, Copy, Debug)]
pub enum Lists<'a> {
    /// A custom resource: from its schema.
    Structural(&'a Structural),
    /// A built-in kind, told by `apiVersion` and `kind` of the object: as servers publish it.
    Deduced,
}

/// Who writes, and when.
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
    /// The rules that count.
    pub rules: Rules,
}

/// Which release's rules of field owners count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Entries say through which subresource was written, and the status belongs to those who write it.
    #[default]
    Today,
    /// Kubernetes before 1.22: entries do not say so, and whoever creates an object owns the defaults of its status; once none of those is
    /// left, that claim to the status as a whole comes to be one to all that it holds.
    Before122,
}

/// What to do about fields of other managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Refuse to change them.
    No,
    /// Take them over.
    Yes,
}
