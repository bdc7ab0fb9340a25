//! Access to objects in other namespaces.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Reference;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};

/// The policy of an operator for references to other namespaces, set by `Operator::access`.
///
/// It applies before the policies of individual objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Access {
    /// References to other namespaces are allowed.
    ///
    /// Code that calls [`check`](Self::check) additionally requires an [`Acl`] of the referenced object that allows the
    /// reference.
    #[default]
    ByAcl,
    /// References must not leave their namespace. An object with such a reference is stalled with the reason
    /// `AccessDenied`.
    SameNamespace,
}

/// The references that an object allows to itself: `accessFrom` in its spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acl {
    /// A referrer's namespace has to match one of them. An empty list allows no namespace.
    pub namespace_selectors: Vec<NamespaceSelector>,
}

/// Selects namespaces by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct NamespaceSelector {
    /// All of them have to be there; none selects all namespaces.
    pub match_labels: BTreeMap<String, String>,
}

/// The reason why a reference is denied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denied {
    /// The operator does not allow references to other namespaces.
    CrossNamespace,
    /// The referenced object has no [`Acl`].
    NoAcl,
    /// No selector of the ACL matches the namespace of the referrer.
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
    /// Checks whether an object in `namespace`, which has these labels, may refer to an object in the namespace `to`.
    ///
    /// If `to` is empty, it is the namespace of the referrer. References within one namespace are always allowed.
    ///
    /// # Errors
    /// [`Denied`], with the cause.
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
    /// The error that stalls an object in the namespace `from` with a reference to another namespace. A cluster-scoped
    /// object may refer to any namespace.
    pub(crate) fn refusal(self, from: Option<&str>, reference: &Reference) -> Option<PassError> {
        let (from, to) = (from?, reference.namespace.as_deref()?);
        if self == Self::ByAcl || from == to {
            return None;
        }
        let message = format!(
            "reference \"{reference}\" points from namespace {from} to {to}, which this operator does not allow: refer to an object in {from}, \
             or run the operator without --no-cross-namespace-refs"
        );
        Some(PassError::new(Class::Stalled, "AccessDenied", &message, Actions::STALLED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_denial_states_its_reason() {
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
    fn a_cross_namespace_reference_is_denied_unless_allowed() {
        let refusal = |access: Access, from, to| access.refusal(from, &Reference::new(to, "base"));
        let denied = refusal(Access::SameNamespace, Some("a"), Some("b")).unwrap();
        assert_eq!((denied.class, denied.reason), (Class::Stalled, "AccessDenied"));
        assert!(denied.message.starts_with("reference \"b/base\" points from namespace a to b"), "{}", denied.message);
        assert!(refusal(Access::ByAcl, Some("a"), Some("b")).is_none());
        for (from, to) in [(Some("a"), Some("a")), (Some("a"), None), (None, Some("b"))] {
            assert!(refusal(Access::SameNamespace, from, to).is_none(), "{from:?} {to:?}");
        }
    }
}
