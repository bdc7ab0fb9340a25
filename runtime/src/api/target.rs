//! Which object, or which selection of objects, a call is about.

use std::fmt;

use crate::wiring::KindInfo;

/// Which object a call is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its kind.
    pub kind: KindInfo,
    /// Its namespace, where the kind has them.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl Target {
    /// All objects of the kind that match a selector, in this namespace; without one, wherever they are watched. No object has such a
    /// name.
    #[must_use]
    pub fn selection(kind: KindInfo, namespace: Option<String>, selector: &str) -> Self {
        Self { namespace: namespace.filter(|_| kind.namespaced), name: format!("?{selector}"), kind }
    }

    /// Those of the selection that stand under an entry of an index.
    pub(crate) fn under(self, entry: &str) -> Self {
        Self { name: format!("{}|{entry}", self.name), ..self }
    }

    /// What is selected, where not an object is meant.
    pub(crate) fn selected(&self) -> Option<Selected<'_>> {
        let text = self.name.strip_prefix('?')?;
        // No selector has a bar.
        Some(match text.split_once('|') {
            Some((selector, entry)) => Selected { selector, entry: Some(entry) },
            None => Selected { selector: text, entry: None },
        })
    }
}

/// What a target selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selected<'a> {
    /// By label.
    pub(crate) selector: &'a str,
    /// And by an entry of an index.
    pub(crate) entry: Option<&'a str>,
}

impl fmt::Display for Target {
    /// As it stands in `status.observedInputs.references`: `v1/Secret/team-a/token`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.resource.api_version, self.kind.resource.kind)?;
        match &self.namespace {
            Some(namespace) => write!(f, "/{namespace}/{}", self.name),
            None => write!(f, "/{}", self.name),
        }
    }
}
