//! Counters: messages such as "2 of 3 completed".

use super::group::{Group, Member};
use super::{ConditionStatus, Polarity};

/// Whether a message is a counter.
#[derive(Clone, Debug, Default)]
pub(super) enum Count<'a> {
    #[default]
    Never,
    Always,
    /// Only if no other types are in scope.
    OnlyIf(Vec<&'a str>),
}

impl Count<'_> {
    pub(super) fn counts(&self, members: &[Member<'_>]) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::OnlyIf(types) => members.iter().all(|member| types.contains(&&*member.condition.type_)),
        }
    }

    /// The total of a step counter: the number of named types, or else of declared types, or else of conditions that
    /// were found.
    pub(super) fn of(&self, declared: usize, found: usize) -> usize {
        match (self, declared) {
            (Self::OnlyIf(types), _) => types.len(),
            (Self::Never | Self::Always, 0) => found,
            (Self::Never | Self::Always, declared) => declared,
        }
    }
}

/// Formats "2 of 3 completed": the number of conditions that are True and not negative.
#[must_use]
pub fn completed(groups: &[Group<'_>], of: usize) -> String {
    let members = groups.iter().flat_map(|group| &group.members);
    let is_done = |member: &&Member<'_>| {
        member.polarity != Polarity::Negative && member.condition.status == ConditionStatus::True
    };
    format!("{} of {of} completed", members.filter(is_done).count())
}

/// Formats "2 of 3 Ready": the number of conditions in the deciding group.
#[must_use]
pub fn counted(group: &Group<'_>, of: usize) -> String {
    let type_ = group.members.first().map_or("", |member| &*member.condition.type_);
    format!("{} of {of} {type_}", group.members.len())
}
