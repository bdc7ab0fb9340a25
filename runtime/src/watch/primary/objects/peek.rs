//! What the cache knows of an object without decoding or building it.

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(feature = "metrics")]
use crate::condition::{Condition, ConditionStatus};
use crate::pipeline::object::Object;
use crate::watch::primary::held::Held;

/// A cached object in the form in which the cache holds it.
pub(in crate::watch::primary) enum Peek<'a> {
    Held(&'a Held),
    Idle(&'a dyn IdleObject),
}

/// An idle object, which fits its type and has no write that the watch has not delivered.
pub(in crate::watch::primary) trait IdleObject {
    fn uid(&self) -> String;
    fn version(&self) -> String;
    /// Calls the function with type and status of each condition.
    #[cfg(feature = "metrics")]
    fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus));
    /// The value of the policy annotation of this name.
    #[cfg(feature = "metrics")]
    fn policy(&self, name: &str) -> Option<&str>;
}

impl<'a> Peek<'a> {
    /// The UID of the object.
    pub(in crate::watch::primary) fn uid(&self) -> Cow<'a, str> {
        match self {
            Self::Held(held) => held.uid().into(),
            Self::Idle(idle) => idle.uid().into(),
        }
    }

    /// The version that the watch delivered last.
    pub(in crate::watch::primary) fn version(&self) -> Cow<'a, str> {
        match self {
            Self::Held(held) => held.version().into(),
            Self::Idle(idle) => idle.version().into(),
        }
    }

    /// Whether the object fits its type.
    pub(in crate::watch::primary) fn fits(&self) -> bool {
        match self {
            Self::Held(held) => held.seen().is_some(),
            Self::Idle(_) => true,
        }
    }

    /// The object that our last write returned, until the watch has caught up.
    pub(in crate::watch::primary) fn wrote(&self) -> Option<&'a Arc<Object>> {
        match self {
            Self::Held(held) => held.wrote.as_ref(),
            Self::Idle(_) => None,
        }
    }
}

#[cfg(feature = "metrics")]
impl Peek<'_> {
    /// Calls the function with type and status of each condition of the newest known version.
    pub(in crate::watch::primary) fn conditions(&self, see: &mut dyn FnMut(&str, &ConditionStatus)) {
        match self {
            Self::Held(held) => {
                see_conditions(held.newest().map(|object| object.conditions()).unwrap_or_default(), see);
            }
            Self::Idle(idle) => idle.conditions(see),
        }
    }

    /// The value of the policy annotation of this name.
    pub(in crate::watch::primary) fn policy(&self, name: &str) -> Option<&str> {
        match self {
            Self::Held(held) => held.newest()?.annotations().get(name).map(String::as_str),
            Self::Idle(idle) => idle.policy(name),
        }
    }
}

#[cfg(feature = "metrics")]
pub(super) fn see_conditions(conditions: &[Condition], see: &mut dyn FnMut(&str, &ConditionStatus)) {
    conditions.iter().for_each(|condition| see(&condition.type_, &condition.status));
}
