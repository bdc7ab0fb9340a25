//! Who may refer to objects of another namespace.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Reference;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};

/// What an operator allows, before any object is asked: `Operator::access`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// References to other namespaces are allowed; where the object that is referred to has an [`Acl`] and code [checks](Self::check)
    /// it, if that allows them.
    #[default]
    ByAcl,
    /// References do not leave their namespace, whatever the objects say: one that does stalls its object, reason `AccessDenied`.
    SameNamespace,
}

/// What the object that is referred to allows: `accessFrom` in its spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acl {
    /// A referrer's namespace has to match one of them. An empty list allows nobody.
    pub namespace_selectors: Vec<NamespaceSelector>,
}

/// Selects namespaces by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceSelector {
    /// All of them have to be there; none selects all namespaces.
    pub match_labels: BTreeMap<String, String>,
}

/// Why a reference is not allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denied {
    /// The operator allows no reference to another namespace.
    CrossNamespace,
    /// The object that is referred to has no [`Acl`].
    NoAcl,
    /// None of its selectors matches the namespace of the referrer.
    NotSelected,
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CrossNamespace => "references to other namespaces are not allowed by this operator",
            Self::NoAcl => "the object allows no references from other namespaces",
            Self::NotSelected => "the object allows no references from this namespace",
        })
    }
}

impl std::error::Error for Denied {}

impl Access {
    /// Whether an object in `namespace`, of which these are the labels, may refer to one in `to`. An empty `to` is the same namespace,
    /// which is allowed without a look at anything else.
    ///
    /// # Errors
    /// [`Denied`], with the reason.
    pub fn check(
        self,
        namespace: &str,
        labels: &BTreeMap<String, String>,
        to: &str,
        acl: Option<&Acl>,
    ) -> Result<(), Denied> {
        if to.is_empty() || to == namespace {
            return Ok(());
        }
        if self == Self::SameNamespace {
            return Err(Denied::CrossNamespace);
        }
        let selectors = &acl.ok_or(Denied::NoAcl)?.namespace_selectors;
        let selects = |selector: &NamespaceSelector| {
            selector.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
        };
        if selectors.iter().any(selects) { Ok(()) } else { Err(Denied::NotSelected) }
    }
}

impl Access {
    /// What stalls an object of the namespace `from` that refers to one of another. An object without a namespace may refer to any.
    pub(crate) fn refusal(self, from: Option<&str>, reference: &Reference) -> Option<PassError> {
        let (from, to) = (from?, reference.namespace.as_deref()?);
        if self == Self::ByAcl || from == to {
            return None;
        }
        let message = format!(
            "reference \"{reference}\" leaves namespace {from} for {to}, which this operator does not allow: refer to an object in {from}, \
             or run the operator without --no-cross-namespace-refs"
        );
        Some(PassError::new(Class::Stalled, "AccessDenied", &message, Actions::STALLED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_denial_says_why() {
        let labels = BTreeMap::new();
        let (nobody, anybody) = (Acl::default(), Acl { namespace_selectors: vec![NamespaceSelector::default()] });
        let check = |access: Access, acl| access.check("a", &labels, "b", acl);
        assert_eq!(check(Access::SameNamespace, Some(&anybody)), Err(Denied::CrossNamespace));
        assert_eq!(check(Access::ByAcl, None), Err(Denied::NoAcl));
        assert_eq!(check(Access::ByAcl, Some(&nobody)), Err(Denied::NotSelected));
        assert_eq!(check(Access::ByAcl, Some(&anybody)), Ok(()));
        assert_eq!(Access::SameNamespace.check("a", &labels, "a", None), Ok(()));
    }

    #[test]
    fn a_reference_that_leaves_its_namespace_is_refused_where_that_is_not_allowed() {
        let refusal = |access: Access, from, to| access.refusal(from, &Reference::new(to, "base"));
        let denied = refusal(Access::SameNamespace, Some("a"), Some("b")).unwrap();
        assert_eq!((denied.class, denied.reason), (Class::Stalled, "AccessDenied"));
        assert!(denied.message.starts_with("reference \"b/base\" leaves namespace a for b"), "{}", denied.message);
        assert!(refusal(Access::ByAcl, Some("a"), Some("b")).is_none());
        for (from, to) in [(Some("a"), Some("a")), (Some("a"), None), (None, Some("b"))] {
            assert!(refusal(Access::SameNamespace, from, to).is_none(), "{from:?} {to:?}");
        }
    }
}
