//! Three lanes: changes to the object, changes to related objects, timers; with ageing to prevent starvation.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::key::Key;
use crate::trigger::Urgency;

/// How long a key in each lane may be overtaken by keys of the first lane.
pub(super) const PATIENCE: [Duration; 3] = [Duration::ZERO, Duration::from_secs(5), Duration::from_secs(10)];

/// The length up to which memory is not given back.
const SMALL: usize = 256;

/// A position in a lane. It is void once the entry of the key holds another position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LanePosition {
    number: u64,
    pub(super) urgency: Urgency,
    /// The order in which the lanes are merged.
    pub(super) due: Instant,
}

#[derive(Debug, Default)]
pub(super) struct PriorityLanes {
    lanes: [VecDeque<(LanePosition, Key)>; 3],
    issued: u64,
}

/// The time after which a key that is queued now is not overtaken any more.
pub(super) fn due(urgency: Urgency, now: Instant) -> Instant {
    now + PATIENCE[urgency as usize]
}

impl PriorityLanes {
    /// Queues the key.
    pub(super) fn push(&mut self, urgency: Urgency, key: Key, now: Instant) -> LanePosition {
        self.issued += 1;
        let place = LanePosition { number: self.issued, urgency, due: due(urgency, now) };
        self.lanes[urgency as usize].push_back((place, key));
        place
    }

    /// Removes positions, for example void ones.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&LanePosition, &Key) -> bool) {
        for lane in &mut self.lanes {
            lane.retain(|(place, key)| is_kept(place, key));
            lane.shrink_to(2 * lane.len());
        }
    }

    /// The next position, void ones included. Within a lane, the first in is the first due.
    pub(super) fn pop(&mut self) -> Option<(LanePosition, Key)> {
        let fronts = self.lanes.iter().enumerate();
        let fronts = fronts.filter_map(|(at, lane)| lane.front().map(|(place, _)| (place.due, Reverse(at))));
        let (_, Reverse(at)) = fronts.min()?;
        let lane = &mut self.lanes[at];
        let first = lane.pop_front();
        // Frees the memory of a burst.
        if lane.capacity() > SMALL && lane.len() < lane.capacity() / 8 {
            lane.shrink_to(2 * lane.len());
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_positions_are_unique() {
        let (mut lanes, now, key) = (PriorityLanes::default(), Instant::now(), Key::new(None, "a"));
        let places = [(); 3].map(|()| lanes.push(Urgency::Changed, key.clone(), now));
        assert!(places[0] != places[1] && places[1] != places[2] && places[0] != places[2]);
    }
}
