//! Event correlation with the rules and limits of client-go's correlator. It counts equal events, combines similar ones and limits the
//! number of events per object.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::time::Duration;

use lru::LruCache;
use tokio::time::Instant;

/// Number of entries in each of the caches.
const REMEMBERED: NonZero<usize> = NonZero::new(4096).unwrap();
/// Number of different notes of one reason from which on events are combined.
const SIMILAR: usize = 10;
/// Time without a similar event after which events are sent individually again.
const APART: Duration = Duration::from_secs(600);
/// Number of events of one object that may be sent at once.
const BURST: f64 = 25.0;
/// Time after which one more event of the object may be sent.
const REFILL: Duration = Duration::from_secs(300);

/// Prefix of the note of a combined event.
pub(super) const COMBINED: &str = "(combined from similar events): ";

/// The parts of an event that correlation compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EventKey {
    /// The uid of the object, or its name if it has none.
    pub(super) object: String,
    pub(super) warning: bool,
    pub(super) reason: String,
    pub(super) note: String,
}

/// The action for an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Correlation {
    /// Send a new event.
    Create(EventKey),
    /// Set the count of the event that was sent under this name.
    Repeat(EventKey, String, i32),
    /// Drop the event, since the object has too many.
    Drop,
}

#[derive(Debug)]
pub(super) struct Correlator {
    similar: LruCache<EventKey, Similar>,
    sent: LruCache<EventKey, Sent>,
    buckets: LruCache<String, Bucket>,
}

/// The notes of one reason.
#[derive(Debug, Default)]
struct Similar {
    notes: BTreeSet<String>,
    last: Option<Instant>,
}

#[derive(Debug, Default)]
struct Sent {
    name: Option<String>,
    count: i32,
}

/// The number of spent tokens, and when it was computed.
#[derive(Debug, Default)]
struct Bucket(Option<(f64, Instant)>);

impl Default for Correlator {
    fn default() -> Self {
        // Sparse: a reconciler with few events allocates little.
        let (similar, sent) = (LruCache::sparse(REMEMBERED), LruCache::sparse(REMEMBERED));
        Self { similar, sent, buckets: LruCache::sparse(REMEMBERED) }
    }
}

impl Correlator {
    /// Decides on the action for the event.
    pub(super) fn judge(&mut self, event: EventKey, now: Instant) -> Correlation {
        let (key, event) = self.combine(event, now);
        let sent = self.sent.get_or_insert_mut_ref(&key, Sent::default);
        sent.count = sent.count.saturating_add(1);
        let (name, count) = (sent.name.clone(), sent.count);
        if !self.buckets.get_or_insert_mut_ref(&event.object, Bucket::default).take(now) {
            return Correlation::Drop;
        }
        match name {
            Some(name) => Correlation::Repeat(event, name, count),
            None => Correlation::Create(event),
        }
    }

    /// Records the name under which the event was sent; `None`: it could not be sent.
    pub(super) fn named(&mut self, event: &EventKey, name: Option<String>) {
        let sent = self.sent.get_or_insert_mut_ref(&key(event), Sent::default);
        // Events that could not be sent before do not count.
        *sent = Sent { count: 1, name };
    }

    /// The key and the event to send: the event itself, or a combined one if there are many similar ones.
    fn combine(&mut self, event: EventKey, now: Instant) -> (EventKey, EventKey) {
        let group = EventKey { note: String::new(), ..event.clone() };
        let similar = self.similar.get_or_insert_mut_ref(&group, Similar::default);
        if similar.last.is_none_or(|last| now.duration_since(last) > APART) {
            similar.notes.clear();
        }
        similar.last = Some(now);
        similar.notes.insert(event.note.clone());
        if similar.notes.len() < SIMILAR {
            return (event.clone(), event);
        }
        similar.notes.pop_last();
        let combined = EventKey { note: format!("{COMBINED}{}", event.note), ..event };
        (key(&combined), combined)
    }
}

/// The key of an event. The note of a combined event is not part of it.
fn key(event: &EventKey) -> EventKey {
    let note = if event.note.starts_with(COMBINED) { COMBINED } else { &event.note };
    EventKey { note: note.to_owned(), ..event.clone() }
}

impl Bucket {
    /// Takes a token, if there is one.
    fn take(&mut self, now: Instant) -> bool {
        let (spent, at) = self.0.unwrap_or((0.0, now));
        let spent = (spent - now.duration_since(at).as_secs_f64() / REFILL.as_secs_f64()).max(0.0);
        let free = spent + 1.0 <= BURST + 1e-9;
        self.0 = Some((if free { spent + 1.0 } else { spent }, now));
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(object: &str, note: &str) -> EventKey {
        EventKey { object: object.into(), warning: true, reason: "Broken".into(), note: note.into() }
    }

    /// Correlates the event and records a new one as sent.
    fn send(correlator: &mut Correlator, event: EventKey, now: Instant) -> String {
        match correlator.judge(event, now) {
            Correlation::Create(event) => {
                correlator.named(&event, Some(format!("name of {}", event.note)));
                format!("create {}", event.note)
            }
            Correlation::Repeat(_, name, count) => format!("{count} times {name}"),
            Correlation::Drop => "drop".into(),
        }
    }

    #[test]
    fn equal_events_are_counted_on_the_first() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let sent: Vec<_> = (0..3).map(|_| send(&mut correlator, event("a", "x"), now)).collect();
        assert_eq!(sent, ["create x", "2 times name of x", "3 times name of x"]);
        assert_eq!(send(&mut correlator, event("b", "x"), now), "create x", "of another object");
    }

    #[test]
    fn similar_events_are_combined_from_the_tenth_on() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let sent: Vec<_> = (0..12).map(|at| send(&mut correlator, event("a", &format!("n{at:02}")), now)).collect();
        assert_eq!((&*sent[8], &*sent[9]), ("create n08", "create (combined from similar events): n09"));
        assert_eq!(sent[11], "3 times name of (combined from similar events): n09");
        assert_eq!(send(&mut correlator, EventKey { reason: "Other".into(), ..event("a", "n99") }, now), "create n99");
        let later = now + APART;
        assert_eq!(
            send(&mut correlator, event("a", "n20"), later),
            "4 times name of (combined from similar events): n09"
        );
        let later = later + APART + Duration::from_secs(1);
        assert_eq!(send(&mut correlator, event("a", "n21"), later), "create n21");
    }

    #[test]
    fn events_of_an_object_are_rate_limited() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let sent = |correlator: &mut Correlator, times: usize, now: Instant| {
            (0..times).filter(|_| send(correlator, event("a", "x"), now) != "drop").count()
        };
        assert_eq!(sent(&mut correlator, 40, now), 25);
        assert_eq!(sent(&mut correlator, 5, now + REFILL - Duration::from_secs(1)), 0);
        assert_eq!(sent(&mut correlator, 5, now + REFILL), 1);
        assert_eq!(sent(&mut correlator, 5, now + 3 * REFILL), 2);
        assert_eq!(
            send(&mut correlator, event("a", "x"), now + 4 * REFILL),
            "56 times name of x",
            "dropped ones are counted"
        );
        assert_eq!(sent(&mut correlator, 40, now + 100 * REFILL), 25, "it fills up, and not over");
    }

    #[test]
    fn correlation_memory_is_bounded() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for at in 0..3 * REMEMBERED.get() {
            send(&mut correlator, event(&at.to_string(), &"x".repeat(at % 7)), now);
        }
        let held = (correlator.similar.len(), correlator.sent.len(), correlator.buckets.len());
        assert_eq!(held, (REMEMBERED.get(), REMEMBERED.get(), REMEMBERED.get()));
    }

    #[test]
    fn the_least_recent_event_is_evicted() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let mut sent = |object: &str| send(&mut correlator, event(object, "x"), now);
        for object in ["a", "b", "c", "a"] {
            sent(object);
        }
        // All but two places.
        for at in 2..REMEMBERED.get() {
            sent(&at.to_string());
        }
        let last = ["a", "c", "b"].map(sent);
        assert_eq!(last, ["3 times name of x", "2 times name of x", "create x"], "b made room for the last");
    }
}
