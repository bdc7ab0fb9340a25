//! The trials of a sweep: which disruption is injected at which point.

use super::injection_point::{Crash, Disruption, Plan, Point};

/// The environment variable that lifts the limits of all sweeps if it is `all`.
const VARIABLE: &str = "EVENKEEL_SWEEP";

/// A disruption at a point.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    /// The number of the call, or of the await, counted from 1.
    pub(super) number: usize,
    /// The line of the call, or `await`.
    pub(super) point: String,
    pub(super) disruption: Disruption,
    pub(super) plan: Plan,
    /// The numbers of the equal calls up to this one; empty for an await.
    equal: Vec<usize>,
}

impl Injection {
    /// Returns the same disruption at the await, or at the equal call, halfway to the start. Returns `None` for the first one.
    pub(super) fn earlier(&self) -> Option<Self> {
        match &self.plan {
            Plan::Await(place @ 1..) => {
                Some(Self { number: place / 2 + 1, plan: Plan::Await(place / 2), ..self.clone() })
            }
            Plan::Call { line, nth: nth @ 2.., disruption } => {
                let nth = nth / 2;
                let plan = Plan::Call { line: line.clone(), nth, disruption: disruption.clone() };
                Some(Self { number: self.equal[nth - 1], plan, ..self.clone() })
            }
            _ => None,
        }
    }
}

/// Returns all possible injections, grouped by disruption.
pub(super) fn injections(calls: &[Point], awaits: usize, disruptions: &[Disruption]) -> Vec<Injection> {
    disruptions.iter().flat_map(|disruption| at_calls(calls, disruption).chain(at_awaits(awaits, disruption))).collect()
}

fn at_calls(calls: &[Point], disruption: &Disruption) -> impl Iterator<Item = Injection> {
    let suitable = calls.iter().enumerate().filter(|(_, call)| disruption.applies_to(call));
    suitable.map(move |(place, call)| {
        let numbered = (1..=place + 1).zip(calls);
        let equal: Vec<usize> = numbered.filter_map(|(number, it)| (it.line == call.line).then_some(number)).collect();
        let plan = Plan::Call { line: call.line.clone(), nth: equal.len(), disruption: disruption.clone() };
        Injection { number: place + 1, point: call.line.clone(), disruption: disruption.clone(), plan, equal }
    })
}

fn at_awaits(awaits: usize, disruption: &Disruption) -> impl Iterator<Item = Injection> {
    let awaits = if *disruption == Disruption::Crash(Crash::Await) { awaits } else { 0 };
    let injection = |place| {
        let (number, point) = (place + 1, "await".to_owned());
        Injection { number, point, disruption: disruption.clone(), plan: Plan::Await(place), equal: Vec::new() }
    };
    (0..awaits).map(injection)
}

/// Selects about `limit` injections.
///
/// Each disruption has a proportional share of them, at least one. Its points are spread evenly over the scenario.
pub(super) fn spread(injections: Vec<Injection>, limit: usize) -> Vec<Injection> {
    let all = injections.len();
    if all <= limit || std::env::var(VARIABLE).is_ok_and(|value| value == "all") {
        return injections;
    }
    let share = |one: &[Injection]| {
        let (there, wanted) = (one.len(), (one.len() * limit).div_ceil(all));
        let is_selected = move |place: &usize| place * wanted / there != (place + 1) * wanted / there;
        (0..there).filter(is_selected).map(|place| one[place].clone()).collect::<Vec<Injection>>()
    };
    injections.chunk_by(|one, other| one.disruption == other.disruption).flat_map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Effect;

    #[test]
    fn a_limit_selects_evenly_from_each_disruption() {
        let calls: Vec<Point> = (0..100).map(|n| Point::external(format!("external put {n}"), true)).collect();
        let disruptions = [Effect::Internal, Effect::Hang, Effect::LostAnswer].map(Disruption::Fault);
        let selected = spread(injections(&calls, 0, &disruptions), 30);
        for disruption in disruptions {
            let places: Vec<usize> = selected
                .iter()
                .filter(|injection| injection.disruption == disruption)
                .map(|injection| injection.number)
                .collect();
            assert_eq!(places.len(), 10, "{disruption}");
            assert!(places[0] <= 10 && places[9] > 90, "{places:?}");
        }
    }

    #[test]
    fn a_call_that_is_not_reached_is_replaced_by_an_earlier_equal_one() {
        let lines = ["put a", "put b", "put a", "put a", "put b", "put a", "put a"];
        let calls: Vec<Point> = lines.iter().map(|line| Point::external((*line).to_owned(), true)).collect();
        let last = injections(&calls, 0, &[Disruption::Fault(Effect::Internal)]).pop();
        let tried: Vec<usize> =
            std::iter::successors(last, Injection::earlier).map(|injection| injection.number).collect();
        assert_eq!(tried, [7, 3, 1], "the fifth, second and first call");
    }

    #[test]
    fn a_limit_above_the_total_selects_all_injections() {
        let calls: Vec<Point> = (0..3).map(|_| Point::external("external get a".to_owned(), false)).collect();
        let disruptions = [Disruption::Fault(Effect::Internal), Disruption::Crash(Crash::Await)];
        assert_eq!(spread(injections(&calls, 4, &disruptions), 1000).len(), 7);
        assert!(spread(Vec::new(), 10).is_empty());
    }
}
