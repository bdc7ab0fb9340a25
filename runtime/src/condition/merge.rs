//! Merging: how several conditions become one.

use std::borrow::Cow;

use super::counter::{Count, completed, counted};
use super::group::{Group, Member};
use super::ranking::Ranking;
use super::setter::compare;
use super::source::{Source, localize};
use super::well_known::{RECONCILING, STALLED};
use super::{Condition, ConditionInfo, Polarity};

/// How several conditions become one: a [summary](Merge::summary) of an object, or an [aggregate](Merge::aggregate) over several.
///
/// ```
/// use evenkeel::condition::{Condition, Merge, READY, Ranking, ConditionStatus};
/// let conditions = [
///     Condition::new("Stored", ConditionStatus::True, "Succeeded", "stored"),
///     Condition::new("Outdated", ConditionStatus::True, "NewRevision", "revision b is newer"),
/// ];
/// let ready = Merge::new(Ranking::Flux).negative(["Outdated"]).summary(&conditions, READY).unwrap();
/// assert_eq!((ready.status, &*ready.message), (ConditionStatus::False, "revision b is newer"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Merge<'a> {
    pub(super) ranking: Ranking,
    pub(super) types: Vec<&'a str>,
    negative: Vec<&'a str>,
    bipolar: Vec<&'a str>,
    pub(super) first: Option<&'a str>,
    pub(super) latest_generation: bool,
    pub(super) steps: Count<'a>,
    pub(super) counter: Count<'a>,
    is_sourced: bool,
    sourced_if: Vec<&'a str>,
}

impl<'a> Merge<'a> {
    /// All conditions are in scope, and all are positive.
    #[must_use]
    pub fn new(ranking: Ranking) -> Self {
        Self { ranking, ..Self::default() }
    }

    /// The declared conditions are in scope, in declared order.
    #[must_use]
    pub fn of(ranking: Ranking, declared: impl IntoIterator<Item = &'a ConditionInfo>) -> Self {
        let mut merge = Self::new(ranking);
        for info in declared {
            merge.types.push(info.type_);
            match info.polarity {
                Polarity::Positive => {}
                Polarity::Negative => merge.negative.push(info.type_),
                Polarity::Bipolar => merge.bipolar.push(info.type_),
            }
        }
        merge
    }

    /// Reconciling and Stalled take part as negatives, last: the summary is what the object as a whole comes to.
    #[must_use]
    pub fn and_progress(self) -> Self {
        self.types([STALLED, RECONCILING]).negative([STALLED, RECONCILING])
    }

    /// Only these types are in scope, in order of importance.
    #[must_use]
    pub fn types(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.types.extend(types);
        self
    }

    /// These types are bad when True. A target among them is negative itself.
    #[must_use]
    pub fn negative(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.negative.extend(types);
        self
    }

    /// These types have nothing to say where they are absent.
    #[must_use]
    pub fn bipolar(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.bipolar.extend(types);
        self
    }

    /// This type speaks before others of its rank.
    #[must_use]
    pub fn first(mut self, type_: Option<&'a str>) -> Self {
        self.first = type_;
        self
    }

    /// Only conditions of the highest generation that is there count.
    #[must_use]
    pub fn latest_generation(mut self) -> Self {
        self.latest_generation = true;
        self
    }

    /// The message counts the True positive conditions: "2 of 3 completed".
    #[must_use]
    pub fn steps(mut self) -> Self {
        self.steps = Count::Always;
        self
    }

    /// The same, while no other types than these are in scope; of them, whether there or not, it counts.
    #[must_use]
    pub fn steps_only_if(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.steps = Count::OnlyIf(types.into_iter().collect());
        self
    }

    /// The message of an aggregate counts the conditions that decided: "2 of 3 Ready".
    #[must_use]
    pub fn counter(mut self) -> Self {
        self.counter = Count::Always;
        self
    }

    /// The same, while no other types than these are in scope.
    #[must_use]
    pub fn counter_only_if(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.counter = Count::OnlyIf(types.into_iter().collect());
        self
    }

    /// The reason says which object it is of: "FetchFailed @ GitRepository/app".
    #[must_use]
    pub fn sourced(mut self) -> Self {
        self.is_sourced = true;
        self
    }

    /// The same, as soon as one of these types is in scope.
    #[must_use]
    pub fn sourced_if(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.sourced_if.extend(types);
        self
    }

    pub(super) fn polarity(&self, type_: &str) -> Polarity {
        match type_ {
            type_ if self.negative.contains(&type_) => Polarity::Negative,
            type_ if self.bipolar.contains(&type_) => Polarity::Bipolar,
            _ => Polarity::Positive,
        }
    }

    /// Merges the whole list: the declared types do not limit it, they only say who is heard first.
    #[must_use]
    pub fn merge(&self, source: &Source<'_>, target: &str) -> Option<Condition> {
        let members = self.all(source);
        let of = self.steps.of(self.types.len(), members.len());
        self.decide(members, target, of)
    }

    /// The groups of the whole list, the one that decides first.
    #[must_use]
    pub fn groups<'m>(&self, source: &Source<'m>) -> Vec<Group<'m>> {
        self.grouped(self.all(source))
    }

    fn all<'m>(&self, source: &Source<'m>) -> Vec<Member<'m>> {
        source.conditions.iter().map(|condition| self.member(Cow::Borrowed(condition), *source)).collect()
    }

    pub(super) fn member<'m>(&self, condition: Cow<'m, Condition>, source: Source<'m>) -> Member<'m> {
        let polarity = self.polarity(&condition.type_);
        Member { condition, polarity, source }
    }

    /// Merges what is in scope; `None` where nothing is. `of` is what a counter counts up to.
    pub(super) fn decide(&self, members: Vec<Member<'_>>, target: &str, of: usize) -> Option<Condition> {
        let is_sourced =
            self.is_sourced || members.iter().any(|member| self.sourced_if.contains(&&*member.condition.type_));
        let counts = (self.steps.counts(&members), self.counter.counts(&members));
        let groups = self.grouped(members);
        let top = groups.first()?;
        let speaker = self.speaker(top)?;
        let message = match counts {
            (true, _) => completed(&groups, of),
            (false, true) => counted(top, of),
            (false, false) => speaker.condition.message.clone(),
        };
        let status = self.polarity(target).status(top.verdict);
        let reason = match is_sourced {
            true => localize(&speaker.condition.reason, &speaker.source),
            false => speaker.condition.reason.clone(),
        };
        Some(Condition::new(target, status, reason, message))
    }

    /// The groups of what is in scope, the one that decides first.
    fn grouped<'m>(&self, members: Vec<Member<'m>>) -> Vec<Group<'m>> {
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
    fn speaker<'g, 'm>(&self, group: &'g Group<'m>) -> Option<&'g Member<'m>> {
        let of = |type_: &str| group.members.iter().find(|member| member.condition.type_ == type_);
        self.first.and_then(of).or_else(|| self.types.iter().find_map(|type_| of(type_))).or(group.members.first())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{ConditionStatus, READY};

    fn ready_of(merge: &Merge<'_>, objects: [ConditionStatus; 3]) -> Condition {
        let conditions = objects.map(|status| [Condition::new(READY, status, "Said", "so")]);
        let sources: Vec<Source<'_>> =
            conditions.iter().map(|conditions| Source { conditions, ..Source::default() }).collect();
        merge.aggregate(&sources, "SourcesReady").unwrap()
    }

    #[test]
    fn an_aggregate_counts_the_conditions_that_decided_where_that_is_asked_for() {
        let statuses = [ConditionStatus::True, ConditionStatus::False, ConditionStatus::False];
        let merge = || Merge::new(Ranking::Worst).types([READY]);
        assert_eq!(ready_of(&merge(), statuses).message, "so");
        assert_eq!(ready_of(&merge().counter(), statuses).message, "2 of 3 Ready");
        assert_eq!(ready_of(&merge().counter_only_if([READY]), statuses).message, "2 of 3 Ready");
        assert_eq!(ready_of(&merge().counter_only_if(["Stored"]), statuses).message, "so");
    }

    #[test]
    fn a_bipolar_type_says_nothing_where_it_is_absent_and_decides_where_it_is_false() {
        let verified = |status| [Condition::new("SourceVerified", status, "Checked", "")];
        let merge = Merge::new(Ranking::Worst).types(["SourceVerified"]).bipolar(["SourceVerified"]);
        assert_eq!(merge.summary(&[], READY), None);
        assert_eq!(merge.polarity("SourceVerified"), Polarity::Bipolar);
        assert_eq!(merge.summary(&verified(ConditionStatus::False), READY).unwrap().status, ConditionStatus::False);
        assert_eq!(merge.summary(&verified(ConditionStatus::True), READY).unwrap().status, ConditionStatus::True);
    }
}
