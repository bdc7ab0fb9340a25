//! Summaries: one condition that is computed from the others of an object.

use std::borrow::Cow;

use super::group::Member;
use super::merge::Merge;
use super::source::Source;
use super::{Condition, find};

impl Merge<'_> {
    /// Merges all conditions in scope into one of type `target`, without generation and time. Returns `None` if none is
    /// in scope.
    ///
    /// ```
    /// use evenkeel::condition::{Condition, ConditionInfo, Merge, Polarity, READY, Ranking, ConditionStatus};
    /// const SET: [ConditionInfo; 2] =
    ///     [ConditionInfo::new("Fetched", Polarity::Positive), ConditionInfo::new("Stored", Polarity::Positive)];
    /// let conditions = [Condition::new("Fetched", ConditionStatus::True, "Succeeded", "")];
    /// let ready = |ranking| Merge::of(ranking, &SET).summary(&conditions, READY).unwrap().status;
    /// assert_eq!(ready(Ranking::Worst), ConditionStatus::Unknown);
    /// assert_eq!(ready(Ranking::Flux), ConditionStatus::True);
    /// ```
    #[must_use]
    pub fn summary(&self, conditions: &[Condition], target: &str) -> Option<Condition> {
        self.summary_of(&Source { conditions, ..Source::default() }, target)
    }

    /// Like [`summary`](Self::summary), for an object that a reason can name.
    #[must_use]
    pub fn summary_of(&self, source: &Source<'_>, target: &str) -> Option<Condition> {
        let mut members = self.members(source, Some(target));
        let of = self.steps.of(self.types.len(), members.len());
        members.extend(self.missing(source));
        self.decide(members, target, of)
    }

    /// The conditions of the object that are in scope.
    pub(super) fn members<'m>(&self, source: &Source<'m>, target: Option<&str>) -> Vec<Member<'m>> {
        let is_in_scope = |type_: &str| Some(type_) != target && (self.types.is_empty() || self.types.contains(&type_));
        let present = source.conditions.iter().filter(|c| is_in_scope(&c.type_));
        present.map(|condition| self.member(Cow::Borrowed(condition), *source)).collect()
    }

    /// Replacements for declared conditions that are missing.
    fn missing<'m>(&self, source: &Source<'m>) -> Vec<Member<'m>> {
        let absent = self.types.iter().filter(|type_| find(source.conditions, type_).is_none());
        let made_up = absent.filter_map(|type_| self.ranking.missing(type_, self.polarity(type_)));
        made_up.map(|condition| self.member(Cow::Owned(condition), *source)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::condition::{ConditionInfo, ConditionStatus, Polarity, READY, Ranking, STALLED};

    const SET: &[ConditionInfo] = &[
        ConditionInfo::new("Fetched", Polarity::Positive),
        ConditionInfo::new("Outdated", Polarity::Negative),
        ConditionInfo::new("Stored", Polarity::Positive),
        ConditionInfo::new("Verified", Polarity::Bipolar),
    ];

    fn condition(type_: &str, status: ConditionStatus) -> Condition {
        Condition::new(type_, status, format!("{type_}Reason"), type_)
    }

    fn ready(ranking: Ranking, present: &[Condition], marked: Option<&str>) -> (ConditionStatus, String) {
        let summary = Merge::of(ranking, SET)
            .and_progress()
            .first(marked)
            .summary(present, READY)
            .expect("something is in scope");
        (summary.status, summary.message)
    }

    #[test]
    fn a_bad_condition_outranks_unknown_and_unknown_outranks_good() {
        let mut present = vec![condition("Fetched", ConditionStatus::True), condition("Stored", ConditionStatus::True)];
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::True, "Fetched".into()));
        present[1].status = ConditionStatus::Unknown;
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::Unknown, "Stored".into()));
        assert_eq!(ready(Ranking::Flux, &present, None), (ConditionStatus::True, "Fetched".into()));
        present.push(condition("Outdated", ConditionStatus::True));
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::False, "Outdated".into()));
    }

    #[test]
    fn an_invalid_status_is_unknown_and_ranks_last_in_flux() {
        let odd: Condition =
            serde_json::from_value(serde_json::json!({ "type": "Fetched", "status": "Maybe" })).unwrap();
        let odd = Condition { message: "Fetched".into(), ..odd };
        let unknown = condition("Stored", ConditionStatus::Unknown);
        for present in [[odd.clone(), unknown.clone()], [unknown, odd.clone()]] {
            assert_eq!(ready(Ranking::Flux, &present, None), (ConditionStatus::Unknown, "Stored".into()));
        }
        assert_eq!(
            ready(Ranking::Flux, std::slice::from_ref(&odd), None),
            (ConditionStatus::Unknown, "Fetched".into())
        );
        let verified = condition("Verified", ConditionStatus::True);
        let good = [odd.clone(), condition("Stored", ConditionStatus::True), verified];
        assert_eq!(ready(Ranking::Worst, &good, None), (ConditionStatus::Unknown, "Fetched".into()));
        assert_eq!(serde_json::to_value(&odd).unwrap()["status"], "Unknown");
    }

    #[test]
    fn the_schema_of_a_status_has_three_values() {
        let schema = schemars::schema_for!(ConditionStatus).to_value().to_string();
        assert!(["True", "False", "Unknown"].iter().all(|word| schema.contains(&format!("\"{word}\""))), "{schema}");
        assert!(!schema.contains("\"Other\""), "{schema}");
    }

    #[test]
    fn flux_ranking_ignores_a_missing_positive_condition() {
        let present = [condition("Fetched", ConditionStatus::True)];
        assert_eq!(ready(Ranking::Worst, &present, None).0, ConditionStatus::Unknown);
        assert_eq!(ready(Ranking::Flux, &present, None).0, ConditionStatus::True);
    }

    #[test]
    fn the_condition_marked_by_the_pass_leads_its_rank() {
        let present = [condition("Fetched", ConditionStatus::False), condition("Stored", ConditionStatus::False)];
        assert_eq!(ready(Ranking::Worst, &present, Some("Stored")).1, "Stored");
        assert_eq!(ready(Ranking::Worst, &present, None).1, "Fetched");
        let good = [condition("Fetched", ConditionStatus::True), condition("Stored", ConditionStatus::False)];
        assert_eq!(ready(Ranking::Worst, &good, Some("Fetched")).1, "Stored");
    }

    #[test]
    fn declared_conditions_precede_reconciling_and_stalled_of_equal_rank() {
        let mut present = vec![condition(STALLED, ConditionStatus::True), condition("Fetched", ConditionStatus::True)];
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::False, STALLED.into()));
        present.push(condition("Stored", ConditionStatus::False));
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::False, "Stored".into()));
    }

    #[test]
    fn a_bipolar_condition_counts_only_when_present() {
        let mut present = vec![condition("Fetched", ConditionStatus::True), condition("Stored", ConditionStatus::True)];
        assert_eq!(ready(Ranking::Worst, &present, None).0, ConditionStatus::True);
        present.push(condition("Verified", ConditionStatus::False));
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::False, "Verified".into()));
        present[2].status = ConditionStatus::True;
        assert_eq!(ready(Ranking::Worst, &present, None), (ConditionStatus::True, "Fetched".into()));
    }
}
