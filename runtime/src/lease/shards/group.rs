//! The Lease that the replicas share. Its holder is their number of shards, so that replicas with another number wait until all have ended.
//!
//! Each replica renews it, on whatever version another one of the same number wrote, and works only while its own last renewal counts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::members::Members;
use super::status::GroupStatus;
use crate::clock::Reading;
use crate::leadership::Term;
use crate::lease::follow::{Follower, Seen};
use crate::lease::protocol::{Action, Answer, Names, Times, View};
use crate::lease::record::{Record, Write, fresh_transitions, text};
use crate::lease::requests::{LeaseName, Requests};
use crate::lease::step_down::REST;
use crate::wiring::annotations::STEP_DOWN;

/// The annotation of a Lease that has existed for longer than any earlier term.
const OPEN: &str = "evenkeel.dev/open";

/// The stop of a replica.
#[derive(Clone)]
pub(super) struct Ends {
    /// It takes no more shards.
    pub(super) stop: CancellationToken,
    /// It has given all shards back.
    pub(super) leave: CancellationToken,
}

/// The part of this replica in the common Lease.
pub(super) struct Group {
    requests: Requests,
    follower: Follower,
    names: Names,
    /// The holder of the Lease: `16 shards`.
    holder: Arc<str>,
    times: Times,
    members: Members,
    view: View,
    /// When the last renewal that was answered was sent.
    joined: Option<Reading>,
    /// Until then replicas with another number of shards may work.
    opens: Option<Instant>,
    /// Until then this replica takes no shards, since a person has asked it to give them back.
    rests: Option<Instant>,
    /// The Lease has to be read first.
    looks: bool,
    /// No request before then.
    pause: Option<Instant>,
    conflicts: u32,
    /// The annotation has to be written at once.
    is_due: bool,
    ends: Ends,
    has_left: bool,
    status: watch::Sender<GroupStatus>,
    limit: watch::Sender<Option<Term>>,
}

/// What a group reports.
pub(super) struct Reports {
    pub(super) status: watch::Sender<GroupStatus>,
    pub(super) limit: watch::Sender<Option<Term>>,
}

impl Group {
    pub(super) fn new(requests: Requests, names: Names, times: Times, shards: usize, ends: Ends, to: Reports) -> Self {
        Self {
            follower: Follower::start(requests.clone()),
            requests,
            holder: format!("{shards} shards").into(),
            times,
            members: Members::new(names.identity.clone(), times.lease),
            names,
            view: View::Unknown,
            joined: None,
            opens: None,
            rests: None,
            looks: false,
            pause: None,
            conflicts: 0,
            is_due: false,
            ends,
            has_left: false,
            status: to.status,
            limit: to.limit,
        }
    }

    /// Renews the Lease until this replica has left.
    pub(super) async fn run(mut self) {
        loop {
            let now = Reading::now();
            self.publish(&now);
            let wake = match self.next(&now) {
                Action::End => return,
                Action::Wait(until) => until,
                request => {
                    self.send(request, now).await;
                    continue;
                }
            };
            let (is_stopping, is_leaving) = (self.ends.stop.is_cancelled(), self.ends.leave.is_cancelled());
            tokio::select! {
                biased;
                seen = self.follower.events.recv() => match seen {
                    Some(seen) => self.seen(seen),
                    None => self.follower = Follower::start(self.requests.clone()),
                },
                () = self.ends.stop.cancelled(), if !is_stopping => self.is_due = true,
                () = self.ends.leave.cancelled(), if !is_leaving => {}
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
    }

    /// What to do next.
    fn next(&mut self, now: &Reading) -> Action {
        let leaves = self.ends.leave.is_cancelled();
        if self.rests.is_some_and(|rests| rests <= now.monotonic) {
            // The others learn that this replica takes shards again.
            (self.rests, self.is_due) = (None, true);
        }
        if self.has_left || leaves && self.joined.is_none() {
            return Action::End;
        }
        if let Some(pause) = self.pause.filter(|pause| now.monotonic < *pause) {
            return Action::Wait(Some(pause));
        }
        let (record, since) = match &self.view {
            _ if self.looks => return Action::Get,
            View::Unknown => return Action::Get,
            View::Absent(_) if leaves => return Action::End,
            View::Absent(_) => return Action::Create(self.write(now, fresh_transitions(now.wall), true)),
            View::Lease(record, since) => (record, *since),
        };
        if self.is_foreign(record) {
            return Action::Wait(None);
        }
        if record.holder == self.holder {
            let due = self.joined.filter(|_| !self.is_due && !leaves).map(|at| at.monotonic + self.times.renew);
            return match due.filter(|due| now.monotonic < *due) {
                Some(due) => Action::Wait([Some(due), self.wakes(now)].into_iter().flatten().min()),
                None => Action::Update(self.changed(record, now), self.write(now, record.transitions, false)),
            };
        }
        if leaves {
            return Action::End;
        }
        let free = since + if record.is_released() { Duration::ZERO } else { self.waits_for(record) };
        if now.monotonic < free {
            return Action::Wait(Some(free));
        }
        let (record, transitions) = (record.clone(), record.transitions.saturating_add(1));
        if record.holder.is_empty() && !record.is_released() {
            self.opens = Some(now.monotonic + self.times.lease);
        }
        Action::Update(self.changed(&record, now), self.write(now, transitions, true))
    }

    fn waits_for(&self, record: &Record) -> Duration {
        record.duration.unwrap_or(self.times.lease)
    }

    /// When the state changes without a request.
    fn wakes(&self, now: &Reading) -> Option<Instant> {
        let opens = self.opens.filter(|opens| now.monotonic < *opens);
        [opens, self.resting(now), self.members.changes_at(now.monotonic)].into_iter().flatten().min()
    }

    /// Until when this replica takes no shards.
    fn resting(&self, now: &Reading) -> Option<Instant> {
        self.rests.filter(|rests| now.monotonic < *rests)
    }

    fn write(&self, now: &Reading, transitions: i32, takes: bool) -> Write {
        let is_last = self.ends.leave.is_cancelled() && !self.members.has_others(now.monotonic);
        Write {
            holder: if is_last { "".into() } else { self.holder.clone() },
            transitions,
            renewed: text(now.wall),
            takes,
            duration: self.times.lease,
            operator: self.names.operator[0].clone(),
        }
    }

    /// The Lease as it was read, with the annotations of the replicas changed.
    fn changed(&self, record: &Record, now: &Reading) -> Record {
        let mut object = (*record.object).clone();
        let annotations = object.metadata.annotations.get_or_insert_default();
        let renewed = text(now.wall);
        let takes_none = self.ends.stop.is_cancelled() || self.resting(now).is_some();
        let presence = (!self.ends.leave.is_cancelled()).then_some((&*renewed, takes_none));
        if self.is_asked(annotations) {
            annotations.remove(STEP_DOWN);
        }
        self.members.write(annotations, presence, now.monotonic);
        if self.waits(now) {
            annotations.remove(OPEN);
        } else {
            annotations.insert(OPEN.to_owned(), "true".to_owned());
        }
        Record { object: Arc::new(object), ..record.clone() }
    }

    async fn send(&mut self, request: Action, sent: Reading) {
        let limit = self.times.answer();
        let is_write = !matches!(request, Action::Get);
        let none = (Answer::Unknown { timed_out: true }, Some(format!("no response within {limit:?}")));
        let (answer, why) = timeout(limit, self.requests.send(request)).await.unwrap_or(none);
        let now = Reading::now();
        self.pause = None;
        match answer {
            Answer::Lease { record, made } => {
                (self.looks, self.conflicts) = (false, 0);
                if is_write {
                    self.written(sent, made, &now);
                }
                self.see(record, &now);
            }
            Answer::NotFound => (self.looks, self.view) = (false, View::Absent(None)),
            Answer::Conflict => {
                // Another replica renewed at the same time. Those that meet again wait for different times.
                self.looks = true;
                self.conflicts += 1;
                let pause = Times::RETRY.mul_f64(crate::random::uniform());
                self.pause = (self.conflicts > 1).then(|| now.monotonic + pause);
            }
            Answer::Refused => self.pause = Some(now.monotonic + Times::RETRY),
            Answer::Unknown { .. } => {
                self.looks = true;
                self.pause = Some(now.monotonic + Times::RETRY);
            }
        }
        self.status.send_if_modified(|status| match why {
            Some(why) => status.lease.fails(why),
            None => status.lease.failing.take().is_some(),
        });
    }

    fn written(&mut self, sent: Reading, made: bool, now: &Reading) {
        self.is_due = false;
        if self.ends.leave.is_cancelled() {
            self.has_left = true;
            self.joined = None;
            return;
        }
        self.joined = Some(sent);
        if made {
            self.opens = Some(now.monotonic + self.times.lease);
            // The first write has no annotations.
            self.is_due = true;
        }
    }

    fn seen(&mut self, seen: Seen) {
        let now = Reading::now();
        match seen {
            Seen::Begins => self.looks |= self.joined.is_none(),
            Seen::Changed(object) => self.see(Record::of(object), &now),
            Seen::Deleted(object) => {
                let version = object.metadata.resource_version.unwrap_or_default();
                if self.view.is_outdated_by(&version) {
                    self.view = View::Absent(Some(version.into()));
                }
            }
            Seen::Ends(_) => self.looks = true,
        }
    }

    /// Takes a version of the Lease.
    fn see(&mut self, record: Record, now: &Reading) {
        if !self.view.is_outdated_by(&record.version) {
            return;
        }
        let none = BTreeMap::new();
        let annotations = record.object.metadata.annotations.as_ref().unwrap_or(&none);
        self.members.see(annotations, now.monotonic);
        let (is_new, since) = match &self.view {
            View::Lease(seen, since) => {
                (seen.uid != record.uid, if seen.is_same(&record) { *since } else { now.monotonic })
            }
            View::Unknown | View::Absent(_) => (true, now.monotonic),
        };
        if is_new && !annotations.contains_key(OPEN) && self.opens.is_none_or(|opens| opens <= now.monotonic) {
            // Another replica has made it: replicas with another number may work until their terms end.
            self.opens = Some(now.monotonic + self.times.lease);
        }
        if record.holder != self.holder || self.is_foreign(&record) {
            self.joined = None;
        }
        if self.is_asked(annotations) && self.resting(now).is_none() {
            tracing::info!(lease = %self.requests.lease, "this replica gives its shards back, and takes none for {REST:?}");
            (self.rests, self.is_due) = (Some(now.monotonic + REST), true);
        }
        self.view = View::Lease(record, since);
    }

    /// Whether a person asks this replica to give its shards back.
    fn is_asked(&self, annotations: &BTreeMap<String, String>) -> bool {
        annotations.get(STEP_DOWN).is_some_and(|asked| **asked == *self.names.identity)
    }

    fn is_foreign(&self, record: &Record) -> bool {
        record.operator.as_ref().is_some_and(|name| !self.names.operator.contains(name))
    }

    fn waits(&self, now: &Reading) -> bool {
        self.opens.is_some_and(|opens| now.monotonic < opens)
    }

    /// The time in which this replica may work in its shards.
    fn term(&self, now: &Reading) -> Option<Term> {
        let renewed = self.joined.filter(|_| !self.waits(now))?;
        let term = Term { epoch: 0, renewed, lasts: self.times.deadline };
        term.left(now).map(|_| term)
    }

    fn publish(&mut self, now: &Reading) {
        let term = self.term(now);
        self.limit.send_if_modified(|limit| std::mem::replace(limit, term) != term);
        let record = match &self.view {
            View::Lease(record, _) => Some(record),
            View::Unknown | View::Absent(_) => None,
        };
        let next = GroupStatus {
            works: term.is_some(),
            rank: self.members.rank(now.monotonic),
            blocked: record
                .filter(|record| self.joined.is_none() && self.is_blocked(record, now))
                .map(|record| record.holder.clone()),
            rests: self.resting(now).is_some(),
            lease: crate::lease::Status {
                foreign: record.filter(|record| self.is_foreign(record)).and_then(|record| record.operator.clone()),
                ..self.status.borrow().lease.clone()
            },
        };
        self.status.send_if_modified(|status| {
            let is_other = *status != next;
            if is_other {
                next.log(status, &self.requests.lease);
                *status = next;
            }
            is_other
        });
    }

    /// Whether replicas with another number of shards are active.
    fn is_blocked(&self, record: &Record, now: &Reading) -> bool {
        let View::Lease(_, since) = self.view else { return false };
        let is_other = !record.holder.is_empty() && record.holder != self.holder;
        is_other && now.monotonic < since + self.waits_for(record)
    }
}

/// The name of the Lease of a shard.
pub(crate) fn shard_lease(group: &LeaseName, shard: usize) -> LeaseName {
    LeaseName { name: format!("{}-{shard}", group.name), ..group.clone() }
}
