//! The target of a call: an object, or a selection of objects.

use std::fmt;

use crate::wiring::KindInfo;

/// The object that a call reads or writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The kind of the object.
    pub kind: KindInfo,
    /// The namespace of the object; `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name of the object.
    pub name: String,
}

impl Target {
    /// Creates a target for all objects of the kind that match a selector.
    ///
    /// The selection is limited to `namespace` if it is given, and otherwise covers all watched namespaces. Internally
    /// it is encoded as a name that no object can have.
    #[must_use]
    pub fn selection(kind: KindInfo, namespace: Option<String>, selector: &str) -> Self {
        Self { namespace: namespace.filter(|_| kind.namespaced), name: format!("?{selector}"), kind }
    }

    /// Restricts the selection to the objects under an index entry.
    pub(crate) fn under(self, entry: &str) -> Self {
        Self { name: format!("{}|{entry}", self.name), ..self }
    }

    /// The selection, or `None` if the target is a single object.
    pub(crate) fn selected(&self) -> Option<Selected<'_>> {
        let text = self.name.strip_prefix('?')?;
        // A selector never contains a bar.
        Some(match text.split_once('|') {
            Some((selector, entry)) => Selected { selector, entry: Some(entry) },
            None => Selected { selector: text, entry: None },
        })
    }
}

/// The selection of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selected<'a> {
    /// The label selector.
    pub(crate) selector: &'a str,
    /// The index entry, if the selection is restricted to one.
    pub(crate) entry: Option<&'a str>,
}

impl fmt::Display for Target {
    /// Formats the target as in `status.observedInputs.references`: `v1/Secret/team-a/token`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.resource.api_version, self.kind.resource.kind)?;
        match &self.namespace {
            Some(namespace) => write!(f, "/{namespace}/{}", self.name),
            None => write!(f, "/{}", self.name),
        }
    }
}
