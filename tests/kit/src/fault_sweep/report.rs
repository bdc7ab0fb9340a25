//! The result of a sweep.

use std::collections::BTreeMap;
use std::fmt;

use super::injection_point::Disruption;
use super::plan::Injection;

/// The result of a [`Sweep`](super::Sweep).
///
/// `Display` lists the injection points with the result of each trial.
#[derive(Clone, Debug)]
#[must_use = "a report asserts nothing by itself: call `assert_converged`"]
pub struct Report {
    calls: usize,
    awaits: usize,
    /// The number of trials that the limit excluded.
    left: usize,
    disruptions: Vec<Disruption>,
    visits: Vec<Visit>,
}

/// The result of one trial.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Visit {
    /// The number of the call, or of the await, counted from 1.
    pub number: usize,
    /// The call, such as `patch widgets/status default/w`, or `await`.
    pub point: String,
    /// The disruption of this trial.
    pub disruption: Disruption,
    /// Whether the trial reached the point. If not, the disruption was not injected.
    pub injected: bool,
    /// The difference of the end state, or the error of the trial; `None` on success.
    pub failure: Option<String>,
}

impl Report {
    pub(super) fn new(calls: usize, awaits: usize, left: usize, disruptions: Vec<Disruption>) -> Self {
        Self { calls, awaits, left, disruptions, visits: Vec::new() }
    }

    pub(super) fn add(&mut self, injection: Injection, outcome: Result<bool, String>) {
        let (injected, failure) = outcome.map_or_else(|why| (true, Some(why)), |injected| (injected, None));
        let Injection { number, point, disruption, .. } = injection;
        self.visits.push(Visit { number, point, disruption, injected, failure });
    }

    /// Counts how often each disruption was injected, such as `Hang` 12 times.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for visit in self.visits.iter().filter(|visit| visit.injected) {
            *counts.entry(visit.disruption.to_string()).or_default() += 1;
        }
        counts
    }

    /// Returns all trials, ordered by disruption and then by point.
    #[must_use]
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Returns the trials that failed or ended in another state.
    pub fn failures(&self) -> impl Iterator<Item = &Visit> {
        self.visits.iter().filter(|visit| visit.failure.is_some())
    }

    /// Returns the disruptions that were never injected.
    ///
    /// The usual reason is that the scenario has no point to which they apply.
    #[must_use]
    pub fn missed(&self) -> Vec<&Disruption> {
        let happened =
            |disruption: &Disruption| self.visits.iter().any(|visit| visit.injected && visit.disruption == *disruption);
        self.disruptions.iter().filter(|disruption| !happened(disruption)).collect()
    }

    /// Prints the report, and asserts that each trial ended as without a disruption.
    ///
    /// # Panics
    /// Panics if a trial ended otherwise, or if no disruption was injected at all.
    #[track_caller]
    pub fn assert_converged(&self) {
        println!("{self}");
        assert!(
            self.visits.iter().any(|visit| visit.injected),
            "no disruption was injected: the scenario has no point to which one applies"
        );
        let failures: Vec<String> = self.failures().map(ToString::to_string).collect();
        assert!(
            failures.is_empty(),
            "{} of {} trials failed:\n{}",
            failures.len(),
            self.visits.len(),
            failures.join("\n")
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} calls, {} awaits, {} trials", self.calls, self.awaits, self.visits.len())?;
        if self.left > 0 {
            writeln!(f, "NOT VISITED: {} more trials; EVENKEEL_SWEEP=all runs all of them", self.left)?;
        }
        let counts: Vec<String> =
            self.counts().iter().map(|(disruption, times)| format!("{disruption} {times}")).collect();
        writeln!(f, "  {}", counts.join(", "))?;
        let mut visits: Vec<&Visit> = self.visits.iter().collect();
        visits.sort_by_key(|visit| (visit.point == "await", visit.number));
        let mut last = (0, "");
        for visit in visits {
            let here = (visit.number, visit.point.as_str());
            if here != last {
                writeln!(f, "{:4} {}", visit.number, visit.point)?;
                last = here;
            }
            let ending = match (&visit.failure, visit.injected) {
                (Some(_), _) => "FAILS",
                (None, true) => "ok",
                (None, false) => "not reached",
            };
            writeln!(f, "       {}: {ending}", visit.disruption)?;
        }
        Ok(())
    }
}

impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Visit { number, point, disruption, .. } = self;
        write!(f, "{disruption} at {number} {point}: {}", self.failure.as_deref().unwrap_or("ok"))
    }
}
