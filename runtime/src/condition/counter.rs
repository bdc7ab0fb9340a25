//! Counters: messages that say how far things have come.

use super::group::{Group, Member};
use super::{ConditionStatus, Polarity};

/// Whether a message counts.
#[derive(Clone, Debug, Default)]
pub(super) enum Count<'a> {
    #[default]
    Never,
    Always,
    /// While nothing else is in scope.
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

    /// What a step counter counts up to: what was named, what was declared, what is there.
    pub(super) fn of(&self, declared: usize, found: usize) -> usize {
        match (self, declared) {
            (Self::OnlyIf(types), _) => types.len(),
            (Self::Never | Self::Always, 0) => found,
            (Self::Never | Self::Always, declared) => declared,
        }
    }
}

/// "2 of 3 completed": how many positive conditions are True.
#[must_use]
pub fn completed(groups: &[Group<'_>], of: usize) -> String {
    let members = groups.iter().flat_map(|group| &group.members);
    let is_done = |member: &&Member<'_>| {
        member.polarity != Polarity::Negative && member.condition.status == ConditionStatus::True
    };
    format!("{} of {of} completed", members.filter(is_done).count())
}

/// "2 of 3 Ready": how many conditions decided.
#[must_use]
pub fn counted(group: &Group<'_>, of: usize) -> String {
    let type_ = group.members.first().map_or("", |member| &*member.condition.type_);
    format!("{} of {of} {type_}", group.members.len())
}
