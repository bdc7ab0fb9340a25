//! Merges several conditions into one.

use std::borrow::Cow;

use super::counter::{Count, completed, counted};
use super::group::{Group, Member};
use super::ranking::Ranking;
use super::setter::compare;
use super::source::{Source, localize};
use super::well_known::{RECONCILING, STALLED};
use super::{Condition, ConditionInfo, Polarity};

/// The rules by which several conditions are merged into one.
///
/// The result is a [summary](Merge::summary) of one object, or an [aggregate](Merge::aggregate) over several.
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

    /// Adds Stalled and Reconciling as negative types, last in order of importance, so that the summary covers the
    /// object as a whole.
    #[must_use]
    pub fn and_progress(self) -> Self {
        self.types([STALLED, RECONCILING]).negative([STALLED, RECONCILING])
    }

    /// Restricts the scope to these types, in order of importance.
    #[must_use]
    pub fn types(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.types.extend(types);
        self
    }

    /// Declares types for which True is bad. If the target is one of them, its own status is inverted as well.
    #[must_use]
    pub fn negative(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.negative.extend(types);
        self
    }

    /// Declares types that are ignored while they are absent.
    #[must_use]
    pub fn bipolar(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.bipolar.extend(types);
        self
    }

    /// Prefers this type over others of the same rank.
    #[must_use]
    pub fn first(mut self, type_: Option<&'a str>) -> Self {
        self.first = type_;
        self
    }

    /// Considers only conditions of the highest generation that is present.
    #[must_use]
    pub fn latest_generation(mut self) -> Self {
        self.latest_generation = true;
        self
    }

    /// Sets the message to the number of positive conditions that are True: "2 of 3 completed".
    #[must_use]
    pub fn steps(mut self) -> Self {
        self.steps = Count::Always;
        self
    }

    /// Like [`steps`](Self::steps()), but only if no other types are in scope. The total is the number of these types,
    /// present or not.
    #[must_use]
    pub fn steps_only_if(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.steps = Count::OnlyIf(types.into_iter().collect());
        self
    }

    /// Sets the message of an aggregate to the number of conditions that decided: "2 of 3 Ready".
    #[must_use]
    pub fn counter(mut self) -> Self {
        self.counter = Count::Always;
        self
    }

    /// Like [`counter`](Self::counter()), but only if no other types are in scope.
    #[must_use]
    pub fn counter_only_if(mut self, types: impl IntoIterator<Item = &'a str>) -> Self {
        self.counter = Count::OnlyIf(types.into_iter().collect());
        self
    }

    /// Adds the object to the reason: "FetchFailed @ GitRepository/app".
    #[must_use]
    pub fn sourced(mut self) -> Self {
        self.is_sourced = true;
        self
    }

    /// Like [`sourced`](Self::sourced), but only if one of these types is in scope.
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

    /// Merges the whole list. The declared types do not limit the scope; they only determine the priority.
    #[must_use]
    pub fn merge(&self, source: &Source<'_>, target: &str) -> Option<Condition> {
        let members = self.all(source);
        let of = self.steps.of(self.types.len(), members.len());
        self.decide(members, target, of)
    }

    /// Groups the whole list by rank, starting with the group that decides.
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

    /// Merges the conditions in scope. Returns `None` if there are none. `of` is the total of a counter.
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

    /// Groups the conditions in scope by rank, starting with the group that decides.
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

    /// Removes conditions of earlier generations, if only the latest one counts.
    fn of_generation<'m>(&self, mut members: Vec<Member<'m>>) -> Vec<Member<'m>> {
        if self.latest_generation {
            let generation = |member: &Member<'_>| member.condition.observed_generation.unwrap_or_default();
            let latest = members.iter().map(generation).max();
            members.retain(|member| Some(generation(member)) == latest);
        }
        members
    }

    /// The condition that supplies reason and message: the preferred type, else the first declared type, else the first
    /// in list order.
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
    fn counter_prefixes_the_message_where_configured() {
        let statuses = [ConditionStatus::True, ConditionStatus::False, ConditionStatus::False];
        let merge = || Merge::new(Ranking::Worst).types([READY]);
        assert_eq!(ready_of(&merge(), statuses).message, "so");
        assert_eq!(ready_of(&merge().counter(), statuses).message, "2 of 3 Ready");
        assert_eq!(ready_of(&merge().counter_only_if([READY]), statuses).message, "2 of 3 Ready");
        assert_eq!(ready_of(&merge().counter_only_if(["Stored"]), statuses).message, "so");
    }

    #[test]
    fn a_bipolar_condition_decides_only_when_present() {
        let verified = |status| [Condition::new("SourceVerified", status, "Checked", "")];
        let merge = Merge::new(Ranking::Worst).types(["SourceVerified"]).bipolar(["SourceVerified"]);
        assert_eq!(merge.summary(&[], READY), None);
        assert_eq!(merge.polarity("SourceVerified"), Polarity::Bipolar);
        assert_eq!(merge.summary(&verified(ConditionStatus::False), READY).unwrap().status, ConditionStatus::False);
        assert_eq!(merge.summary(&verified(ConditionStatus::True), READY).unwrap().status, ConditionStatus::True);
    }
}
