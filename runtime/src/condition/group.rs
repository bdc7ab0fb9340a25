//! Groups: the conditions of one rank, and which of them gives reason and message.

use std::borrow::Cow;

use super::merge::Merge;
use super::ranking::Rank;
use super::{Condition, Polarity, Source, Verdict, compare};

/// A condition in scope, and the object that has it.
#[derive(Clone, Debug)]
pub struct Member<'m> {
    /// The condition; one that was made up stands for a declared one that is missing.
    pub condition: Cow<'m, Condition>,
    /// Which status of it is the good one.
    pub polarity: Polarity,
    /// The object.
    pub source: Source<'m>,
}

/// The conditions of one rank.
#[derive(Clone, Debug)]
pub struct Group<'m> {
    rank: Rank,
    /// What they all say.
    pub verdict: Verdict,
    /// They, in the order in which they were found; in the first group in the [order of a list](compare), then by name of the object.
    pub members: Vec<Member<'m>>,
}

impl Merge<'_> {
    /// The groups of what is in scope, the one that decides first.
    pub(super) fn grouped<'m>(&self, members: Vec<Member<'m>>) -> Vec<Group<'m>> {
        let mut groups: Vec<Group<'m>> = Vec::new();
        for member in self.of_generation(members) {
            let rank = self.ranking.rank(member.polarity, member.condition.status);
            let verdict = member.polarity.verdict(member.condition.status);
            match groups.iter_mut().find(|group| group.rank == rank) {
                Some(group) => group.members.push(member),
                None => groups.push(Group { rank, verdict, members: vec![member] }),
            }
        }
        groups.sort_by_key(|group| group.rank.order);
        if let Some(first) = groups.first_mut() {
            first.members.sort_by(|a, b| match a.condition.type_ == b.condition.type_ {
                true => a.source.name.cmp(b.source.name),
                false => compare(&a.condition, &b.condition),
            });
        }
        groups
    }

    /// Where only the latest generation counts, the others go before anything is ranked.
    fn of_generation<'m>(&self, mut members: Vec<Member<'m>>) -> Vec<Member<'m>> {
        if self.latest_generation {
            let generation = |member: &Member<'_>| member.condition.observed_generation.unwrap_or_default();
            let latest = members.iter().map(generation).max();
            members.retain(|member| Some(generation(member)) == latest);
        }
        members
    }

    /// The member that gives reason and message: the one that comes first by wish, by declaration, by the order of a list.
    pub(super) fn speaker<'g, 'm>(&self, group: &'g Group<'m>) -> Option<&'g Member<'m>> {
        let of = |type_: &str| group.members.iter().find(|member| member.condition.type_ == type_);
        self.first.and_then(of).or_else(|| self.types.iter().find_map(|type_| of(type_))).or(group.members.first())
    }
}
