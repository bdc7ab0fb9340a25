//! Verbs of RBAC rules, and the calls that a step declares by them.

use std::fmt;

use serde::{Serialize, Serializer};

/// A verb of the Kubernetes API, in the usual order of RBAC rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Lists objects.
    List,
    /// Watches objects for changes.
    Watch,
    /// Creates an object. Server-side apply of an object that does not exist requires it, too.
    Create,
    /// Replaces an object.
    Update,
    /// Patches an object. Server-side apply is a patch.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes all objects that a selector matches.
    DeleteCollection,
    /// Acts as another user.
    Impersonate,
    /// Grants rights with a binding that it does not have itself.
    Bind,
    /// Grants rights with a role that it does not have itself.
    Escalate,
}

impl Verb {
    /// The name of the verb in an RBAC rule.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Impersonate => "impersonate",
            Self::Bind => "bind",
            Self::Escalate => "escalate",
        }
    }
}

impl Serialize for Verb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A call that a step may send with [`Cx::client`](crate::Cx::client): `uses(Pod, eviction = create)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclaredCall {
    /// The verb.
    pub verb: Verb,
    /// The subresource; `None` for the object itself.
    pub subresource: Option<&'static str>,
}

impl DeclaredCall {
    /// A call on objects of the kind.
    #[must_use]
    pub const fn new(verb: Verb) -> Self {
        Self { verb, subresource: None }
    }

    /// A call on a subresource.
    #[must_use]
    pub const fn on(self, subresource: &'static str) -> Self {
        Self { subresource: Some(subresource), ..self }
    }
}

/// As the author writes it: `eviction = create`.
impl fmt::Display for DeclaredCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subresource {
            Some(subresource) => write!(f, "{subresource} = {}", self.verb.as_str()),
            None => f.write_str(self.verb.as_str()),
        }
    }
}
