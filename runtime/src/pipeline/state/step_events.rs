//! The Kubernetes events that steps record during a pass.

use crate::outcome::reporting::EventLevel;
use crate::pipeline::hook::Event;

/// The number of events of a pass that are kept: as many as an object may have at once.
const MOST: usize = 25;

/// The events of one pass, in order. Further ones are dropped, so that a loop cannot fill the memory.
#[derive(Debug, Default)]
pub(crate) struct StepEvents(Vec<Event>);

impl StepEvents {
    pub(crate) fn push(&mut self, level: EventLevel, reason: &str, note: &str) {
        if level != EventLevel::None && self.0.len() < MOST {
            self.0.push(Event { level, reason: reason.to_owned(), note: note.to_owned() });
        }
    }

    /// Appends the events of a joined step.
    pub(super) fn append(&mut self, other: Self) {
        let room = MOST - self.0.len();
        self.0.extend(other.0.into_iter().take(room));
    }

    /// Removes the events, in order.
    pub(crate) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_keeps_as_many_events_as_an_object_may_have_at_once() {
        let mut events = StepEvents::default();
        events.push(EventLevel::None, "Silent", "");
        for count in 0..20 {
            events.push(EventLevel::Normal, "Counted", &count.to_string());
        }
        let mut joined = StepEvents::default();
        (0..20).for_each(|_| joined.push(EventLevel::Warning, "Joined", ""));
        events.append(joined);
        let kept = events.take();
        assert_eq!((kept.len(), kept[19].note.as_str(), kept[20].reason.as_str()), (25, "19", "Joined"));
        assert!(events.take().is_empty());
    }
}
