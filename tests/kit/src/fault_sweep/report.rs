//! What a sweep found.

use std::collections::BTreeMap;
use std::fmt;

use super::injection_point::Disruption;
use super::plan::Injection;

/// Where a sweep has been, and what came of it. `Display` lists the points.
#[derive(Clone, Debug)]
#[must_use = "a report asserts nothing by itself: call `assert_converged`"]
pub struct Report {
    calls: usize,
    awaits: usize,
    /// Trials that the limit left out.
    left: usize,
    disruptions: Vec<Disruption>,
    visits: Vec<Visit>,
}

/// One trial.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The number of the call, or of the await, counted from 1.
    pub number: usize,
    /// The call: `patch widgets/status default/w`, `external put a`; or `await`.
    pub point: String,
    /// What happened there.
    pub disruption: Disruption,
    /// Whether the trial came to that point again; the trouble did not happen otherwise.
    pub injected: bool,
    /// How the trial ended otherwise than it should; `None` where it ended as without trouble.
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

    /// How often each sort of trouble happened: `Hang 12`, `crash 7`.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for visit in self.visits.iter().filter(|visit| visit.injected) {
            *counts.entry(visit.disruption.to_string()).or_default() += 1;
        }
        counts
    }

    /// All trials, by trouble and point.
    #[must_use]
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// The trials that ended otherwise than without trouble.
    pub fn failures(&self) -> impl Iterator<Item = &Visit> {
        self.visits.iter().filter(|visit| visit.failure.is_some())
    }

    /// The faults that were never injected, because the scenario makes no call that they apply to.
    #[must_use]
    pub fn missed(&self) -> Vec<&Disruption> {
        let happened =
            |disruption: &Disruption| self.visits.iter().any(|visit| visit.injected && visit.disruption == *disruption);
        self.disruptions.iter().filter(|disruption| !happened(disruption)).collect()
    }

    /// Prints the points, and fails where a trial ended otherwise than without trouble.
    ///
    /// # Panics
    /// Some trial did, or no trouble happened at all.
    #[track_caller]
    pub fn assert_converged(&self) {
        println!("{self}");
        assert!(self.visits.iter().any(|visit| visit.injected), "nothing was tried: the operator made no call");
        let failures: Vec<String> = self.failures().map(ToString::to_string).collect();
        assert!(
            failures.is_empty(),
            "{} of {} trials fail:\n{}",
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
            writeln!(f, "NOT VISITED: {} more trials; EVENKEEL_SWEEP=all runs them, too", self.left)?;
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
