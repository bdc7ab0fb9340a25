//! The summary: one condition that says how the others stand.

use super::{Condition, ConditionInfo, Polarity, Status, find};

/// The summary condition of the Kubernetes conventions.
pub const READY: &str = "Ready";
/// Present and True while the controller is still at work (kstatus).
pub const RECONCILING: &str = "Reconciling";
/// Present and True while only a person can help (kstatus).
pub const STALLED: &str = "Stalled";

/// How conditions are ranked against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ranking {
    /// Bad, then unknown or missing, then good: one bad or unknown condition is enough to be not ready.
    #[default]
    Worst,
    /// As Flux does: bad, then good, then unknown; a missing condition is absent.
    Flux,
}

/// What a summary says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The status of the target.
    pub status: Status,
    /// The reason of the condition that decided.
    pub reason: String,
    /// The message of the condition that decided.
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Bad,
    Good,
    Unknown,
}

impl Ranking {
    /// The order in which ranks decide, the most important first.
    const fn order(self) -> [Rank; 3] {
        match self {
            Self::Worst => [Rank::Bad, Rank::Unknown, Rank::Good],
            Self::Flux => [Rank::Bad, Rank::Good, Rank::Unknown],
        }
    }

    /// Summarises `present` for a positive target.
    ///
    /// `declared` is the scope in order of importance; Reconciling and Stalled take part as negatives, last. `marked` is the
    /// condition that this pass marked: it comes before others of its rank. `None`: nothing was in scope.
    #[must_use]
    pub fn summarize(self, declared: &[ConditionInfo], present: &[Condition], marked: Option<&str>) -> Option<Summary> {
        let scope = declared.iter().map(|info| (info.type_, info.polarity));
        let scope: Vec<_> = scope.chain([(STALLED, Polarity::Negative), (RECONCILING, Polarity::Negative)]).collect();
        self.order().into_iter().find_map(|rank| {
            let mut members =
                scope.iter().filter(|(type_, polarity)| self.rank(type_, *polarity, declared, present) == Some(rank));
            let first = members.clone().find(|(type_, _)| Some(*type_) == marked).or_else(|| members.next())?;
            Some(summary_of(rank, first.0, find(present, first.0)))
        })
    }

    fn rank(self, type_: &str, polarity: Polarity, declared: &[ConditionInfo], present: &[Condition]) -> Option<Rank> {
        match find(present, type_) {
            Some(c) if c.status == polarity.bad() => Some(Rank::Bad),
            Some(c) if c.status == polarity.good() => Some(Rank::Good),
            Some(_) => Some(Rank::Unknown),
            // An absent negative condition has nothing to complain of; an absent positive one was never reported.
            None if self == Self::Worst
                && polarity == Polarity::Positive
                && declared.iter().any(|i| i.type_ == type_) =>
            {
                Some(Rank::Unknown)
            }
            None => None,
        }
    }
}

fn summary_of(rank: Rank, type_: &str, condition: Option<&Condition>) -> Summary {
    let status = match rank {
        Rank::Bad => Status::False,
        Rank::Good => Status::True,
        Rank::Unknown => Status::Unknown,
    };
    match condition {
        Some(c) => Summary { status, reason: c.reason.clone(), message: c.message.clone() },
        None => Summary { status, reason: "NotYetReported".into(), message: format!("{type_} was not reported yet") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &[ConditionInfo] = &[
        ConditionInfo::new("Fetched", Polarity::Positive),
        ConditionInfo::new("Outdated", Polarity::Negative),
        ConditionInfo::new("Stored", Polarity::Positive),
    ];

    fn condition(type_: &str, status: Status) -> Condition {
        Condition {
            type_: type_.into(),
            status,
            observed_generation: Some(1),
            last_transition_time: None,
            reason: format!("{type_}Reason"),
            message: type_.into(),
        }
    }

    fn ready(ranking: Ranking, present: &[Condition], marked: Option<&str>) -> (Status, String) {
        let summary = ranking.summarize(SET, present, marked).expect("something is in scope");
        (summary.status, summary.message)
    }

    #[test]
    fn a_bad_condition_beats_an_unknown_one_and_that_a_good_one() {
        let mut present = vec![condition("Fetched", Status::True), condition("Stored", Status::True)];
        assert_eq!(ready(Ranking::Worst, &present, None), (Status::True, "Fetched".into()));
        present[1].status = Status::Unknown;
        assert_eq!(ready(Ranking::Worst, &present, None), (Status::Unknown, "Stored".into()));
        assert_eq!(ready(Ranking::Flux, &present, None), (Status::True, "Fetched".into()));
        present.push(condition("Outdated", Status::True));
        assert_eq!(ready(Ranking::Worst, &present, None), (Status::False, "Outdated".into()));
    }

    #[test]
    fn a_missing_positive_condition_is_unknown_for_us_and_absent_for_flux() {
        let present = [condition("Fetched", Status::True)];
        assert_eq!(ready(Ranking::Worst, &present, None).0, Status::Unknown);
        assert_eq!(ready(Ranking::Flux, &present, None).0, Status::True);
    }

    #[test]
    fn the_condition_that_the_pass_marked_comes_first_in_its_rank() {
        let present = [condition("Fetched", Status::False), condition("Stored", Status::False)];
        assert_eq!(ready(Ranking::Worst, &present, Some("Stored")).1, "Stored");
        assert_eq!(ready(Ranking::Worst, &present, None).1, "Fetched");
    }
}
