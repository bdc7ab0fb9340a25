//! Policies: what the owner of an object allows to be done to what its steps make outside the cluster.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use kube::Resource;
use kube::core::NamespaceResourceScope;

pub use super::annotations::POLICY;
use crate::outcome::reporting::Actions;
use crate::outcome::{Class, PassError};

/// What may be done for an object, where its reconciler says `policies`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// The steps run, and the cleanups when it goes.
    #[default]
    Manage,
    /// Nothing is changed, neither now nor when it goes: it is observed only.
    Skip,
    /// The steps run; when it goes, what they made is left behind.
    DetachOnDelete,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Manage, Self::Skip, Self::DetachOnDelete];

    /// As it stands in the annotation.
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

/// The text is no policy. Case and blanks count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPolicy(String);

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no policy; write manage, skip or detach-on-delete", self.0)
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

/// What `#[reconciler(policies(..))]` said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policies {
    /// The annotation that holds the policy.
    pub key: &'static str,
    /// Whether the namespace of an object counts where the object says nothing.
    pub namespace: bool,
}

/// The scope of kinds whose objects live in namespaces.
#[diagnostic::on_unimplemented(
    message = "a cluster-scoped object has no namespace whose policy could count",
    label = "the kind is cluster-scoped",
    note = "drop `namespace` from `policies(..)`"
)]
pub trait InNamespace {}
impl InNamespace for NamespaceResourceScope {}

impl Policies {
    /// What the word `policies` alone means.
    pub const DEFAULT: Self = Self { key: POLICY, namespace: false };

    /// The same in another annotation.
    #[must_use]
    pub const fn keyed(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    /// The same, said by namespaces, too.
    #[must_use]
    pub const fn of_namespaces<K: Resource<Scope: InNamespace>>(self) -> Self {
        Self { namespace: true, ..self }
    }

    /// What the annotations of the object, or of its namespace, say; `None`: nothing. An empty one is as none.
    pub(crate) fn parse(self, annotations: &BTreeMap<String, String>, of: impl fmt::Display) -> Option<ResolvedPolicy> {
        let said = annotations.get(self.key).filter(|said| !said.is_empty())?;
        Some(match said.parse() {
            Ok(policy) => ResolvedPolicy::Known(policy),
            Err(error) => ResolvedPolicy::Unknown(format!("annotation {} of {of}: {error}", self.key)),
        })
    }
}

/// The policy that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ResolvedPolicy {
    Known(Policy),
    /// What is wrong with it. Nothing is changed: a misspelt `skip` must not delete.
    Unknown(String),
}

impl ResolvedPolicy {
    /// As it stands in the status: `manage` goes without saying.
    pub(crate) fn shown(&self) -> &'static str {
        match self {
            Self::Known(Policy::Manage) => "",
            other => other.word(),
        }
    }

    /// In a word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Known(policy) => policy.as_str(),
            Self::Unknown(_) => UNKNOWN_WORD,
        }
    }

    /// What counts of it in the digest.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Known(policy) => policy.as_str(),
            Self::Unknown(why) => why,
        }
    }

    /// What stops every pass until the policy can be told.
    pub(crate) fn pass_error(&self) -> Option<PassError> {
        let Self::Unknown(why) = self else { return None };
        let class = Class::Waiting { poll: None };
        Some(PassError::new(class, UNKNOWN, why, Actions::TRANSIENT))
    }
}

/// What the status says where a policy cannot be told.
pub(crate) const UNKNOWN_WORD: &str = "unknown";

/// The reason of Ready where a policy cannot be told.
pub(crate) const UNKNOWN: &str = "PolicyUnknown";

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(said: Option<&str>, default: Policy) -> ResolvedPolicy {
        let annotations = said.map(|said| (POLICY.to_owned(), said.to_owned())).into_iter().collect();
        Policies::DEFAULT.parse(&annotations, "Widget team-a/w").unwrap_or(ResolvedPolicy::Known(default))
    }

    #[test]
    fn what_is_said_counts_and_else_the_default() {
        for policy in Policy::ALL {
            assert_eq!(resolved(Some(policy.as_str()), Policy::Manage), ResolvedPolicy::Known(policy));
            assert_eq!(resolved(None, policy), ResolvedPolicy::Known(policy));
            assert_eq!(resolved(Some(""), policy), ResolvedPolicy::Known(policy));
        }
    }

    #[test]
    fn case_and_blanks_count_and_the_message_names_object_annotation_value_and_cure() {
        for wrong in ["Skip", " skip", "skip ", "MANAGE", "detach", "detach_on_delete"] {
            let effective = resolved(Some(wrong), Policy::Manage);
            let message = effective.pass_error().expect("nothing runs").message;
            let cure = "write manage, skip or detach-on-delete";
            assert_eq!(message, format!("annotation {POLICY} of Widget team-a/w: \"{wrong}\" is no policy; {cure}"));
            assert_eq!(effective.shown(), "unknown");
        }
    }
}
