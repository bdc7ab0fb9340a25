//! A candidate: decides what to send next, and whether this process may work. It has no clock, no tasks and no connection.
//!
//! - It writes only on the version that it saw last, so that the API server refuses a write on an older one.
//! - It never compares the time in a lease with a clock: a lease is free once it has been unchanged for its duration since it was first
//!   seen.
//! - A write without an answer may have been carried out, or may be carried out later. It is recognised by its time.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::protocol::{Action, Answer, Held, Names, Phase, Times, Try, View};
use super::record::{Record, Write, fresh_transitions, text};
use crate::clock::Reading;
use crate::leadership::Term;

/// How many writes without an answer are remembered.
const DOUBTS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) names: Names,
    pub(super) times: Times,
    pub(super) phase: Phase,
    /// Whether it takes the lease when it is free.
    pub(super) contends: bool,
    pub(super) view: View,
    pub(super) held: Option<Held>,
    /// Until then an earlier holder may work, of a lease that was deleted or emptied.
    pub(super) opens: Option<Instant>,
    /// The request on its way; `None` inside: it reads.
    pub(super) sent: Option<Option<Try>>,
    /// Writes without an answer.
    pub(super) doubts: Vec<Try>,
    /// The lease has to be read first.
    pub(super) looks: bool,
    /// The last write met a conflict.
    pub(super) conflicted: bool,
    /// No request before then.
    pub(super) pause: Option<Instant>,
    pub(super) watching: bool,
    /// When the lease was read last.
    pub(super) looked: Option<Instant>,
}

impl Candidate {
    pub(super) fn new(names: Names, times: Times) -> Self {
        Self {
            names,
            times,
            phase: Phase::Contends,
            contends: true,
            view: View::Unknown,
            held: None,
            opens: None,
            sent: None,
            doubts: Vec::new(),
            looks: false,
            conflicted: false,
            pause: None,
            watching: false,
            looked: None,
        }
    }

    /// The term in which this process may work now.
    pub(super) fn term(&self, now: &Reading) -> Option<Term> {
        let held = self.held.as_ref().filter(|_| !self.is_leaving() && !self.waits(now))?;
        let epoch = u64::try_from(held.transitions).unwrap_or_default();
        let term = Term { epoch, renewed: held.renewed, lasts: self.times.deadline };
        term.left(now).map(|_| term)
    }

    /// Whether an earlier holder may still work.
    fn waits(&self, now: &Reading) -> bool {
        self.opens.is_some_and(|opens| now.monotonic < opens)
    }

    /// The operator to which the lease belongs, if it is another one.
    pub(super) fn foreign(&self) -> Option<&Arc<str>> {
        let View::Lease(record, _) = &self.view else { return None };
        record.operator.as_ref().filter(|name| !self.names.operator.contains(name))
    }

    /// What to do next. A request that it returns counts as sent now.
    pub(super) fn next(&mut self, now: &Reading) -> Action {
        if self.sent.is_some() {
            return Action::Wait(self.wakes(now, None));
        }
        if self.held.as_ref().is_some_and(|held| now.since(&held.renewed) >= self.times.deadline) {
            self.held = None;
        }
        let is_done = self.phase != Phase::Contends && self.held.is_none() && !self.looks;
        if is_done && self.phase == Phase::Yields {
            self.phase = Phase::Contends;
        } else if is_done || self.phase == Phase::Releases && self.waits(now) {
            return Action::End;
        }
        if let Some(pause) = self.pause.filter(|pause| now.monotonic < *pause) {
            return Action::Wait(self.wakes(now, Some(pause)));
        }
        let action = if self.looks { Action::Get } else { self.decide(now) };
        self.sent = match &action {
            Action::Wait(_) | Action::End => None,
            Action::Get => Some(None),
            Action::Create(write) => Some(Some(Try { at: *now, write: write.clone(), uid: None })),
            Action::Update(on, write) => Some(Some(Try { at: *now, write: write.clone(), uid: Some(on.uid.clone()) })),
        };
        action
    }

    fn decide(&mut self, now: &Reading) -> Action {
        let record = match &self.view {
            View::Unknown => return Action::Get,
            View::Absent(_) if !self.contends => match self.looks_at() {
                Some(looks) if now.monotonic >= looks => return Action::Get,
                looks => return Action::Wait(looks),
            },
            View::Absent(_) => return Action::Create(self.write(now, 0)),
            View::Lease(record, _) => record.clone(),
        };
        let due = match &self.held {
            // An earlier holder may still work, so the lease must not become free.
            Some(held) if self.phase == Phase::Releases || self.phase == Phase::Yields && !self.waits(now) => {
                let transitions = held.transitions;
                return Action::Update(record, Write { holder: "".into(), ..self.renewal(now, transitions) });
            }
            Some(held) => {
                let (transitions, due) = (held.transitions, held.renewed.monotonic + self.times.renew);
                if now.monotonic >= due {
                    return Action::Update(record, self.renewal(now, transitions));
                }
                Some(due)
            }
            None => match self.free_at(&record) {
                Some(free) if self.contends && now.monotonic >= free => {
                    if record.holder.is_empty() && !record.is_released() {
                        self.opens = Some(now.monotonic + self.times.lease);
                    }
                    let write = self.write(now, record.transitions);
                    return Action::Update(record, write);
                }
                free => match self.looks_at() {
                    Some(looks) if now.monotonic >= looks => return Action::Get,
                    looks => [free.filter(|free| now.monotonic < *free), looks].into_iter().flatten().min(),
                },
            },
        };
        Action::Wait(self.wakes(now, due))
    }

    /// When the lease can be taken; `None`: it belongs to another operator.
    fn free_at(&self, record: &Record) -> Option<Instant> {
        let View::Lease(_, since) = self.view else { return None };
        if self.foreign().is_some() {
            return None;
        }
        let is_free = record.holder.is_empty() || record.holder == self.names.identity;
        Some(if is_free { since } else { since + record.duration.unwrap_or(self.times.lease) })
    }

    /// Whether the lease can be taken now, by the version that was seen last.
    pub(super) fn is_free(&self, now: &Reading) -> bool {
        match &self.view {
            View::Unknown => false,
            View::Absent(_) => true,
            View::Lease(record, _) => {
                self.held.is_none() && self.free_at(record).is_some_and(|free| now.monotonic >= free)
            }
        }
    }

    /// When the lease has to be read, since no watch reports its changes.
    fn looks_at(&self) -> Option<Instant> {
        self.looked.filter(|_| !self.watching).map(|looked| looked + self.times.renew)
    }

    /// The next time at which something is to be done: then, or when the gate opens or the term ends.
    fn wakes(&self, now: &Reading, then: Option<Instant>) -> Option<Instant> {
        let opens = self.opens.filter(|opens| self.held.is_some() && now.monotonic < *opens);
        let ends = self.held.as_ref().map(|held| held.renewed.monotonic + self.times.deadline);
        let ends = ends.filter(|ends| now.monotonic < *ends);
        [opens, ends, then].into_iter().flatten().min()
    }

    /// The write that takes a lease with this count of transitions.
    fn write(&self, now: &Reading, transitions: i32) -> Write {
        let is_new = matches!(self.view, View::Absent(_));
        let transitions = if is_new { fresh_transitions(now.wall) } else { transitions.saturating_add(1) };
        Write { takes: true, ..self.renewal(now, transitions) }
    }

    fn renewal(&self, now: &Reading, transitions: i32) -> Write {
        Write {
            holder: self.names.identity.clone(),
            transitions,
            renewed: self.unused(now.wall),
            takes: false,
            duration: self.times.lease,
            operator: self.names.operator[0].clone(),
        }
    }

    /// A time that no other write of ours has: the wall clock may have been set back.
    fn unused(&self, mut wall: Timestamp) -> Arc<str> {
        let used = |time: &str| {
            let is_last = self.held.as_ref().is_some_and(|held| *held.wrote == *time);
            is_last || self.doubts.iter().any(|doubt| *doubt.write.renewed == *time)
        };
        loop {
            let time = text(wall);
            if !used(&time) {
                return time;
            }
            wall += Duration::from_micros(1);
        }
    }
}

impl Candidate {
    /// Takes the answer to the request on its way.
    pub(super) fn answered(&mut self, answer: Answer, now: &Reading) {
        let Some(sent) = self.sent.take() else { return };
        self.pause = None;
        match answer {
            Answer::Lease { record, made } => {
                self.looked = Some(now.monotonic);
                self.looks = false;
                self.conflicted = false;
                match sent {
                    Some(sent) => self.written(sent, record, made, now),
                    None => self.see(record, now),
                }
            }
            Answer::NotFound => {
                self.looked = Some(now.monotonic);
                self.looks = false;
                self.lose();
                self.view = View::Absent(None);
            }
            Answer::Conflict => {
                self.looks = true;
                if self.held.is_none() {
                    // What was seen is outdated, and after a restore of the cluster newer versions have smaller numbers.
                    self.view = View::Unknown;
                }
                // A conflict that follows another one is not ours alone: nothing is sent again at once.
                self.pause = self.conflicted.then(|| now.monotonic + Times::RETRY);
                self.conflicted = true;
            }
            Answer::Refused => self.pause = Some(now.monotonic + Times::RETRY),
            Answer::Unknown { timed_out } => {
                self.doubt(sent);
                self.looks = true;
                self.pause = (!timed_out).then(|| now.monotonic + Times::RETRY);
            }
        }
    }

    fn doubt(&mut self, sent: Option<Try>) {
        self.doubts.extend(sent);
        let excess = self.doubts.len().saturating_sub(DOUBTS);
        self.doubts.drain(..excess);
    }

    /// A write was carried out, and the lease then had this version.
    fn written(&mut self, sent: Try, record: Record, made: bool, now: &Reading) {
        let is_news = self.view.is_outdated_by(&record.version);
        if made && is_news {
            self.opens = Some(now.monotonic + self.times.lease);
        }
        self.doubt(Some(sent));
        match &self.view {
            // A watch was faster, and has perhaps reported even more.
            View::Lease(seen, _) if !is_news && seen.version == record.version => {}
            _ if !is_news => self.looks = true,
            _ => self.see(record, now),
        }
    }

    /// Takes the lease as a watch or a read reports it.
    pub(super) fn see(&mut self, record: Record, now: &Reading) {
        if !self.view.is_outdated_by(&record.version) {
            return;
        }
        self.recognise(&record, now);
        let since = match &self.view {
            View::Lease(seen, since) if seen.is_same(&record) => *since,
            _ => now.monotonic,
        };
        self.view = View::Lease(record, since);
        if self.foreign().is_some() {
            self.lose();
        }
    }

    /// Finds out whether the lease is ours in this version.
    fn recognise(&mut self, record: &Record, now: &Reading) {
        if record.holder != self.names.identity {
            // Releases of ours leave no doubt either.
            return self.lose();
        }
        let wrote =
            |transitions: i32, time: &str| (transitions, Some(time)) == (record.transitions, record.renewed.as_deref());
        let in_flight = self.sent.iter().flatten();
        let found =
            self.doubts.iter().chain(in_flight).find(|doubt| wrote(doubt.write.transitions, &doubt.write.renewed));
        match (found.cloned(), &self.held) {
            (None, Some(held)) if wrote(held.transitions, &held.wrote) => {}
            (Some(Try { at, write, uid }), held) if write.takes || held.is_some() => {
                if uid.is_none_or(|uid| uid != record.uid) {
                    self.opens = Some(now.monotonic + self.times.lease);
                }
                self.held = Some(Held { transitions: write.transitions, wrote: write.renewed, renewed: at });
                // Writes on earlier versions cannot be carried out any more.
                self.doubts.clear();
            }
            (Some(_), _) => self.lose(),
            (None, _) => {
                // A write of ours that was forgotten. It may have made the lease.
                self.opens = Some(now.monotonic + self.times.lease);
                self.lose();
            }
        }
    }

    /// Takes a deletion that a watch reports.
    pub(super) fn deleted(&mut self, version: &Arc<str>) {
        if self.view.is_outdated_by(version) {
            self.lose();
            self.view = View::Absent(Some(version.clone()));
        }
    }

    /// The watch reports changes from now on, or no longer does.
    pub(super) fn watches(&mut self, watching: bool, now: &Reading) {
        self.looks |= watching && !self.watching && self.held.is_none();
        if self.watching && !watching {
            // What the watch has reported was true until now.
            self.looked = Some(now.monotonic);
        }
        self.watching = watching;
    }

    fn lose(&mut self) {
        self.held = None;
    }

    /// Gives the lease back, and takes none until it contends again.
    pub(super) fn yields(&mut self) {
        self.phase = self.phase.max(Phase::Yields);
        self.contends = false;
    }

    /// No lease is taken from now on. One that is held is renewed until it is given back.
    pub(super) fn stop(&mut self) {
        self.phase = self.phase.max(Phase::Stops);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.phase >= Phase::Stops
    }

    pub(super) fn is_releasing(&self) -> bool {
        self.phase == Phase::Releases
    }

    /// Whether it gives the lease back, to contend again or not.
    pub(super) fn is_leaving(&self) -> bool {
        matches!(self.phase, Phase::Yields | Phase::Releases)
    }

    /// Gives the lease back.
    pub(super) fn release(&mut self) {
        self.phase = Phase::Releases;
    }
}
