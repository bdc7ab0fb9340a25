//! Which events are sent, by the rules and numbers of client-go's correlator: equal ones are counted, similar ones combined, and of one
//! object there are only so many.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use super::recent::Recent;

/// So many things are remembered of each sort.
const REMEMBERED: usize = 4096;
/// So many notes of one reason are told one by one, less one; the others together.
const SIMILAR: usize = 10;
/// After so long without one of them, similar events are told one by one again.
const APART: Duration = Duration::from_secs(600);
/// So many events of one object are sent at once,
const BURST: f64 = 25.0;
/// and then one in so long.
const REFILL: Duration = Duration::from_secs(300);

/// What stands before the note of an event that stands for several.
pub(super) const COMBINED: &str = "(combined from similar events): ";

/// An event, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EventKey {
    /// The object: its uid.
    pub(super) object: String,
    pub(super) warning: bool,
    pub(super) reason: String,
    pub(super) note: String,
}

/// What is to be done about an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Correlation {
    /// It is new.
    Create(EventKey),
    /// It has been sent under this name, and is now seen for so many times.
    Repeat(EventKey, String, i32),
    /// There were too many of this object.
    Drop,
}

#[derive(Debug)]
pub(super) struct Correlator {
    similar: Recent<EventKey, Similar>,
    sent: Recent<EventKey, Sent>,
    buckets: Recent<String, Bucket>,
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

/// How many events were sent above what was refilled, at that time.
#[derive(Debug, Default)]
struct Bucket(Option<(f64, Instant)>);

impl Default for Correlator {
    fn default() -> Self {
        Self { similar: Recent::new(REMEMBERED), sent: Recent::new(REMEMBERED), buckets: Recent::new(REMEMBERED) }
    }
}

impl Correlator {
    /// What is to be done about the event.
    pub(super) fn judge(&mut self, said: EventKey, now: Instant) -> Correlation {
        let (key, said) = self.combine(said, now);
        let sent = self.sent.touch(&key);
        sent.count = sent.count.saturating_add(1);
        let (name, count) = (sent.name.clone(), sent.count);
        if !self.buckets.touch(&said.object).take(now) {
            return Correlation::Drop;
        }
        match name {
            Some(name) => Correlation::Repeat(said, name, count),
            None => Correlation::Create(said),
        }
    }

    /// The event was sent under this name; `None`: it is gone.
    pub(super) fn named(&mut self, said: &EventKey, name: Option<String>) {
        let sent = self.sent.touch(&key(said));
        // What could not be sent before is not counted as seen.
        *sent = Sent { count: 1, name };
    }

    /// The event, or the one that stands for all that are similar.
    fn combine(&mut self, said: EventKey, now: Instant) -> (EventKey, EventKey) {
        let group = EventKey { note: String::new(), ..said.clone() };
        let similar = self.similar.touch(&group);
        if similar.last.is_none_or(|last| now.duration_since(last) > APART) {
            similar.notes.clear();
        }
        similar.last = Some(now);
        similar.notes.insert(said.note.clone());
        if similar.notes.len() < SIMILAR {
            return (said.clone(), said);
        }
        similar.notes.pop_last();
        let combined = EventKey { note: format!("{COMBINED}{}", said.note), ..said };
        (key(&combined), combined)
    }
}

/// What an event is remembered by: of a combined one the note does not matter.
fn key(said: &EventKey) -> EventKey {
    let note = if said.note.starts_with(COMBINED) { COMBINED } else { &said.note };
    EventKey { note: note.to_owned(), ..said.clone() }
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

    fn said(object: &str, note: &str) -> EventKey {
        EventKey { object: object.into(), warning: true, reason: "Broken".into(), note: note.into() }
    }

    /// Judges, and sends what is new.
    fn send(correlator: &mut Correlator, event: EventKey, now: Instant) -> String {
        match correlator.judge(event, now) {
            Correlation::Create(said) => {
                correlator.named(&said, Some(format!("name of {}", said.note)));
                format!("create {}", said.note)
            }
            Correlation::Repeat(_, name, count) => format!("{count} times {name}"),
            Correlation::Drop => "drop".into(),
        }
    }

    #[test]
    fn equal_events_are_counted_on_the_first() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let told: Vec<_> = (0..3).map(|_| send(&mut correlator, said("a", "x"), now)).collect();
        assert_eq!(told, ["create x", "2 times name of x", "3 times name of x"]);
        assert_eq!(send(&mut correlator, said("b", "x"), now), "create x", "of another object");
    }

    #[test]
    fn from_the_tenth_note_of_a_reason_on_they_are_combined_until_there_was_none_for_ten_minutes() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let told: Vec<_> = (0..12).map(|at| send(&mut correlator, said("a", &format!("n{at:02}")), now)).collect();
        assert_eq!((&*told[8], &*told[9]), ("create n08", "create (combined from similar events): n09"));
        assert_eq!(told[11], "3 times name of (combined from similar events): n09");
        assert_eq!(send(&mut correlator, EventKey { reason: "Other".into(), ..said("a", "n99") }, now), "create n99");
        let later = now + APART;
        assert_eq!(
            send(&mut correlator, said("a", "n20"), later),
            "4 times name of (combined from similar events): n09"
        );
        let later = later + APART + Duration::from_secs(1);
        assert_eq!(send(&mut correlator, said("a", "n21"), later), "create n21");
    }

    #[test]
    fn of_one_object_twenty_five_are_sent_at_once_and_then_one_in_five_minutes() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        let sent = |correlator: &mut Correlator, times: usize, now: Instant| {
            (0..times).filter(|_| send(correlator, said("a", "x"), now) != "drop").count()
        };
        assert_eq!(sent(&mut correlator, 40, now), 25);
        assert_eq!(sent(&mut correlator, 5, now + REFILL - Duration::from_secs(1)), 0);
        assert_eq!(sent(&mut correlator, 5, now + REFILL), 1);
        assert_eq!(sent(&mut correlator, 5, now + 3 * REFILL), 2);
        assert_eq!(
            send(&mut correlator, said("a", "x"), now + 4 * REFILL),
            "56 times name of x",
            "dropped ones are counted"
        );
        assert_eq!(sent(&mut correlator, 40, now + 100 * REFILL), 25, "it fills up, and not over");
    }

    #[test]
    fn very_many_objects_do_not_fill_the_memory() {
        let (mut correlator, now) = (Correlator::default(), Instant::now());
        for at in 0..3 * REMEMBERED {
            send(&mut correlator, said(&at.to_string(), &"x".repeat(at % 7)), now);
        }
        let held = (correlator.similar.len(), correlator.sent.len(), correlator.buckets.len());
        assert_eq!(held, (REMEMBERED, REMEMBERED, REMEMBERED));
    }
}
