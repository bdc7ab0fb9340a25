//! Policies: the changes outside the cluster that the owner of an object allows.

use std::fmt;
use std::str::FromStr;

use kube::Resource;
use kube::core::NamespaceResourceScope;

pub use super::annotations::POLICY;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};

/// The changes that are allowed for an object, if its reconciler declares `policies`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// The steps run, and the cleanups run when the object is deleted.
    #[default]
    Manage,
    /// Nothing is changed, not even on deletion. The object is only observed.
    Skip,
    /// The steps run. When the object is deleted, the cleanups do not run, and external resources remain.
    DetachOnDelete,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Manage, Self::Skip, Self::DetachOnDelete];

    /// The value of the annotation.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manage => "manage",
            Self::Skip => "skip",
            Self::DetachOnDelete => "detach-on-delete",
        }
    }

    /// Whether the steps may run.
    #[must_use]
    pub const fn may_modify(self) -> bool {
        !matches!(self, Self::Skip)
    }

    /// Whether the cleanups may run.
    #[must_use]
    pub const fn may_delete(self) -> bool {
        matches!(self, Self::Manage)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a text that is not a policy. Case and whitespace are significant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPolicy(String);

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is not a policy; write manage, skip or detach-on-delete", self.0)
    }
}

impl std::error::Error for UnknownPolicy {}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        let found = Self::ALL.into_iter().find(|policy| policy.as_str() == text);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

/// The settings of `#[reconciler(policies(..))]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policies {
    /// The annotation with the policy.
    pub key: &'static str,
    /// Whether the annotation of the namespace applies if the object has none.
    pub namespace: bool,
}

/// A bound that requires a namespaced kind.
#[diagnostic::on_unimplemented(
    message = "a cluster-scoped object has no namespace to take a policy from",
    label = "the kind is cluster-scoped",
    note = "drop `namespace` from `policies(..)`"
)]
pub trait InNamespace {}
impl InNamespace for NamespaceResourceScope {}

impl Policies {
    /// The settings of `policies` without arguments.
    pub const DEFAULT: Self = Self { key: POLICY, namespace: false };

    /// Sets the annotation.
    #[must_use]
    pub const fn keyed(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// Includes the annotation of the namespace.
    #[must_use]
    pub const fn of_namespaces<K: Resource<Scope: InNamespace>>(self) -> Self {
        Self { namespace: true, ..self }
    }

    /// Parses the annotation of the object or of its namespace. Returns `None` if it is empty.
    pub(crate) fn parse(self, value: &str, of: &dyn Fn() -> String) -> Option<ResolvedPolicy> {
        if value.is_empty() {
            return None;
        }
        Some(match value.parse() {
            Ok(policy) => ResolvedPolicy::Known(policy),
            Err(error) => ResolvedPolicy::Unknown(format!("annotation {} of {}: {error}", self.key, of())),
        })
    }
}

/// The policy that applies to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResolvedPolicy {
    Known(Policy),
    /// An invalid policy, with the cause. Nothing is changed, so that a misspelled `skip` does not delete anything.
    Unknown(String),
}

impl ResolvedPolicy {
    /// The policy as shown in the status; empty for `manage`.
    pub(crate) fn shown(&self) -> &'static str {
        match self {
            Self::Known(Policy::Manage) => "",
            other => other.word(),
        }
    }

    /// The policy as one word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Known(policy) => policy.as_str(),
            Self::Unknown(_) => UNKNOWN_WORD,
        }
    }

    /// The text that is hashed into the digest.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Known(policy) => policy.as_str(),
            Self::Unknown(why) => why,
        }
    }

    /// The error that ends every pass until the policy is valid.
    pub(crate) fn pass_error(&self) -> Option<PassError> {
        let Self::Unknown(why) = self else { return None };
        let class = Class::Waiting { poll: None };
        Some(PassError::new(class, UNKNOWN, why, Actions::TRANSIENT))
    }
}

/// The policy in the status if the annotation is invalid.
pub(crate) const UNKNOWN_WORD: &str = "unknown";

/// The reason of Ready if the annotation is invalid.
pub(crate) const UNKNOWN: &str = "PolicyUnknown";

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(value: Option<&str>, default: Policy) -> ResolvedPolicy {
        let parsed = value.and_then(|value| Policies::DEFAULT.parse(value, &|| "Widget team-a/w".into()));
        parsed.unwrap_or(ResolvedPolicy::Known(default))
    }

    #[test]
    fn the_annotation_overrides_the_default_policy() {
        for policy in Policy::ALL {
            assert_eq!(resolved(Some(policy.as_str()), Policy::Manage), ResolvedPolicy::Known(policy));
            assert_eq!(resolved(None, policy), ResolvedPolicy::Known(policy));
            assert_eq!(resolved(Some(""), policy), ResolvedPolicy::Known(policy));
        }
    }

    #[test]
    fn an_unknown_policy_is_reported_with_the_fix() {
        for wrong in ["Skip", " skip", "skip ", "MANAGE", "detach", "detach_on_delete"] {
            let effective = resolved(Some(wrong), Policy::Manage);
            let message = effective.pass_error().expect("nothing runs").message;
            let help = "write manage, skip or detach-on-delete";
            assert_eq!(message, format!("annotation {POLICY} of Widget team-a/w: \"{wrong}\" is not a policy; {help}"));
            assert_eq!(effective.shown(), "unknown");
        }
    }
}
