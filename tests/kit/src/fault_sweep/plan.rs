//! Which points a sweep visits, and with which trouble.

use super::injection_point::{Crash, Plan, Point, Trouble};

/// In the environment: `all` lifts the limits of all sweeps.
const VARIABLE: &str = "EVENKEEL_SWEEP";

/// A point to visit.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// The number of the call, or of the await, counted from 1.
    pub(super) number: usize,
    /// The line of the call; or `await`.
    pub(super) point: String,
    pub(super) trouble: Trouble,
    pub(super) plan: Plan,
}

/// All there is to visit, one trouble after the other.
pub(super) fn stops(calls: &[Point], awaits: usize, troubles: &[Trouble]) -> Vec<Stop> {
    troubles.iter().flat_map(|trouble| at_calls(calls, trouble).chain(at_awaits(awaits, trouble))).collect()
}

fn at_calls(calls: &[Point], trouble: &Trouble) -> impl Iterator<Item = Stop> {
    let suitable = calls.iter().enumerate().filter(|(_, call)| trouble.applies_to(call));
    suitable.map(|(place, call)| {
        let nth = calls[..=place].iter().filter(|other| other.line == call.line).count();
        let plan = Plan::Call { line: call.line.clone(), nth, trouble: trouble.clone() };
        Stop { number: place + 1, point: call.line.clone(), trouble: trouble.clone(), plan }
    })
}

fn at_awaits(awaits: usize, trouble: &Trouble) -> impl Iterator<Item = Stop> {
    let awaits = if *trouble == Trouble::Crash(Crash::Await) { awaits } else { 0 };
    let stop = |place| {
        let (number, point) = (place + 1, "await".to_owned());
        Stop { number, point, trouble: trouble.clone(), plan: Plan::Await(place) }
    };
    (0..awaits).map(stop)
}

/// About so many of them, evenly spread: each trouble keeps its share, one at least, at points all along the scenario.
pub(super) fn spread(stops: Vec<Stop>, limit: usize) -> Vec<Stop> {
    let all = stops.len();
    if all <= limit || std::env::var(VARIABLE).is_ok_and(|value| value == "all") {
        return stops;
    }
    let share = |one: &[Stop]| {
        let (there, wanted) = (one.len(), (one.len() * limit).div_ceil(all));
        let is_kept = move |place: &usize| place * wanted / there != (place + 1) * wanted / there;
        (0..there).filter(is_kept).map(|place| one[place].clone()).collect::<Vec<Stop>>()
    };
    stops.chunk_by(|one, other| one.trouble == other.trouble).flat_map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Effect;

    #[test]
    fn a_limit_leaves_each_trouble_its_share_from_the_first_points_to_the_last() {
        let calls: Vec<Point> = (0..100).map(|n| Point::outside(format!("outside put {n}"), true)).collect();
        let troubles = [Effect::Internal, Effect::Hang, Effect::LostAnswer].map(Trouble::Fault);
        let kept = spread(stops(&calls, 0, &troubles), 30);
        for trouble in troubles {
            let places: Vec<usize> =
                kept.iter().filter(|stop| stop.trouble == trouble).map(|stop| stop.number).collect();
            assert_eq!(places.len(), 10, "{trouble}");
            assert!(places[0] <= 10 && places[9] > 90, "{places:?}");
        }
    }

    #[test]
    fn a_limit_beyond_what_there_is_leaves_nothing_out() {
        let calls: Vec<Point> = (0..3).map(|_| Point::outside("outside get a".to_owned(), false)).collect();
        let troubles = [Trouble::Fault(Effect::Internal), Trouble::Crash(Crash::Await)];
        assert_eq!(spread(stops(&calls, 4, &troubles), 1000).len(), 7);
        assert!(spread(Vec::new(), 10).is_empty());
    }
}
