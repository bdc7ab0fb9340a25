//! The form of a world by which equal ones are found: times as ages, versions by their order, and texts by what equals what.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tokio::time::Instant;

use super::super::candidate::Candidate;
use super::super::protocol::{Action, Answer, Try, View};
use super::super::record::{Record, Write};
use super::{Flight, World};
use crate::clock::Reading;

/// A part of a world.
enum Part<'w> {
    Number(u64),
    Version(u64),
    /// Only which texts are equal makes a difference.
    Text(&'static str, &'w str),
    Count(i32),
}

#[derive(Default)]
struct Parts<'w>(Vec<Part<'w>>);

impl World {
    /// A number that equal worlds share. Two candidates with equal clocks can be exchanged.
    pub(super) fn canonical(&self) -> u64 {
        let [first, second] = [[0, 1], [1, 0]].map(|order| self.parts(order).hash());
        if self.setup.speed == 1 { first.min(second) } else { first }
    }

    fn parts(&self, order: [usize; 2]) -> Parts<'_> {
        let mut parts = Parts(Vec::with_capacity(128));
        parts.number(u64::from(self.deletions)).number(u64::from(self.losses)).number(u64::from(self.wavers));
        for at in order {
            parts.text("holder", &self.processes[at].candidate.names.identity);
        }
        parts.record(self.lease.as_ref());
        for at in order {
            let (process, now) = (&self.processes[at], self.now(at));
            parts.candidate(self, at, &now);
            match &process.flight {
                None => parts.number(0),
                Some(Flight::Sent(action)) => parts.number(1).action(action),
                Some(Flight::Answered(answer)) => parts.number(2).answer(answer),
            };
            match &process.ghost {
                None => parts.number(0),
                Some(action) => parts.number(1).action(action),
            };
        }
        parts
    }

    /// Whether the write can still be recognised.
    fn matters(&self, at: usize, doubt: &Try) -> bool {
        let process = &self.processes[at];
        let time = &doubt.write.renewed;
        let of_record = |record: &Record| record.renewed.as_ref() == Some(time);
        let late = match &process.ghost {
            Some(Action::Create(write) | Action::Update(_, write)) => write.renewed == *time,
            _ => false,
        };
        let answered = match &process.flight {
            Some(Flight::Answered(Answer::Lease { record, .. })) => of_record(record),
            _ => false,
        };
        late || answered || self.lease.as_ref().is_some_and(of_record)
    }
}

impl<'w> Parts<'w> {
    fn number(&mut self, number: u64) -> &mut Self {
        self.0.push(Part::Number(number));
        self
    }

    fn text(&mut self, of: &'static str, text: &'w str) -> &mut Self {
        self.0.push(Part::Text(of, text));
        self
    }

    fn count(&mut self, count: i32) -> &mut Self {
        self.0.push(Part::Count(count));
        self
    }

    fn version(&mut self, version: &str) -> &mut Self {
        self.0.push(Part::Version(version.parse().unwrap()));
        self
    }

    fn record(&mut self, record: Option<&'w Record>) -> &mut Self {
        let Some(record) = record else { return self.number(0) };
        self.version(&record.version).text("uid", &record.uid).text("holder", &record.holder).count(record.transitions);
        self.text("time", record.renewed.as_deref().unwrap_or_default());
        self.number(record.duration.unwrap_or_default().as_secs())
    }

    fn write(&mut self, write: &'w Write) -> &mut Self {
        self.text("holder", &write.holder).count(write.transitions).text("time", &write.renewed);
        self.number(u64::from(write.takes))
    }

    fn action(&mut self, action: &'w Action) -> &mut Self {
        match action {
            Action::Create(write) => self.number(1).write(write),
            Action::Update(on, write) => self.number(2).version(&on.version).text("uid", &on.uid).write(write),
            Action::Get | Action::Wait(_) | Action::End => self.number(3),
        }
    }

    fn answer(&mut self, answer: &'w Answer) -> &mut Self {
        match answer {
            Answer::Lease { record, made } => self.number(1 + u64::from(*made)).record(Some(record)),
            Answer::NotFound => self.number(3),
            Answer::Conflict => self.number(4),
            Answer::Refused | Answer::Unknown { .. } => self.number(5),
        }
    }

    fn tried(&mut self, tried: &'w Try, candidate: &Candidate, now: &Reading) -> &mut Self {
        self.write(&tried.write).text("uid", tried.uid.as_deref().unwrap_or_default());
        self.age(now.since(&tried.at), candidate.times.deadline)
    }

    /// A greater age makes no difference.
    fn age(&mut self, age: Duration, most: Duration) -> &mut Self {
        self.number(age.min(most).as_secs())
    }

    /// A time in the past makes no difference.
    fn future(&mut self, time: Option<Instant>, now: &Reading) -> &mut Self {
        self.number(time.map_or(0, |time| time.saturating_duration_since(now.monotonic).as_secs()))
    }

    fn candidate(&mut self, world: &'w World, at: usize, now: &Reading) {
        let candidate = &world.processes[at].candidate;
        self.number(candidate.phase as u64).number(candidate.contends.into());
        match &candidate.view {
            View::Unknown => self.number(0),
            View::Absent(None) => self.number(1),
            View::Absent(Some(version)) => self.number(2).version(version),
            View::Lease(record, since) => {
                let age = now.monotonic.saturating_duration_since(*since);
                self.number(3).record(Some(record)).age(age, candidate.times.lease)
            }
        };
        match &candidate.held {
            None => self.number(0),
            Some(held) => {
                self.number(1).count(held.transitions).text("time", &held.wrote);
                self.age(now.since(&held.renewed), candidate.times.deadline)
            }
        };
        self.future(candidate.opens, now).future(candidate.pause, now);
        self.number(u64::from(candidate.looks) + 2 * u64::from(candidate.conflicted));
        for doubt in candidate.doubts.iter().filter(|doubt| world.matters(at, doubt)) {
            self.number(1).tried(doubt, candidate, now);
        }
        match &candidate.sent {
            None => self.number(0),
            Some(None) => self.number(1),
            Some(Some(sent)) => self.number(2).tried(sent, candidate, now),
        };
    }

    fn hash(&self) -> u64 {
        let versions = self.0.iter().filter_map(|part| match part {
            Part::Version(version) => Some(*version),
            Part::Number(_) | Part::Text(..) | Part::Count(_) => None,
        });
        let mut versions: Vec<u64> = versions.collect();
        versions.sort_unstable();
        versions.dedup();
        let (mut texts, mut counts) = (Vec::new(), Vec::new());
        let mut hasher = DefaultHasher::new();
        for part in &self.0 {
            match part {
                Part::Number(number) => number.hash(&mut hasher),
                Part::Version(version) => versions.binary_search(version).unwrap().hash(&mut hasher),
                Part::Text(of, text) => place(&mut texts, (*of, *text)).hash(&mut hasher),
                Part::Count(count) => place(&mut counts, *count).hash(&mut hasher),
            }
        }
        hasher.finish()
    }
}

/// The place of the value among the different ones so far.
fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known.iter().position(|one| *one == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}
