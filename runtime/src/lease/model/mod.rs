//! A model of two candidates and an API server, which runs the candidate itself through all interleavings.
//!
//! Each candidate may be paused at any point. A request may be carried out late, its answer may come late or never, a view may be old, and
//! a person may delete the lease.

mod canonical;
mod explore;
mod laws;
mod setup;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jiff::Timestamp;
use kube::api::{ApiResource, DynamicObject};
use tokio::time::Instant;

use self::setup::{Bug, Setup};
use super::candidate::Candidate;
use super::protocol::{Action, Answer, Names, Times, View};
use super::record::{Record, Write};
use crate::clock::Reading;

/// A request on its way.
#[derive(Clone, Debug)]
enum Flight {
    Sent(Action),
    Answered(Answer),
}

#[derive(Clone, Debug)]
struct Process {
    candidate: Candidate,
    flight: Option<Flight>,
    /// A write whose sender waits for it no longer. It may still be carried out.
    ghost: Option<Action>,
}

/// One step of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// A second passes.
    Tick,
    /// A person deletes the lease.
    Delete,
    /// The candidate does what is due.
    Acts(usize),
    /// The server carries out its request.
    Commits(usize),
    /// The answer arrives.
    Answers(usize),
    /// The answer is lost, or takes too long.
    Loses(usize),
    /// The server carries out a request that was given up.
    CommitsLate(usize),
    /// The watch reports the lease as it is.
    Shows(usize),
    /// The process is stopped, and its passes have ended.
    Stops(usize),
    /// The candidate gives the lease back and rests, or contends again.
    Wavers(usize),
}

#[derive(Clone, Debug)]
struct World {
    setup: Setup,
    ticks: u32,
    processes: [Process; 2],
    lease: Option<Record>,
    /// The versions and uids that were given out.
    versions: u64,
    uids: u64,
    deletions: u8,
    losses: u8,
    wavers: u8,
}

const SECOND: Duration = Duration::from_secs(1);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static OBJECT: LazyLock<Arc<DynamicObject>> = LazyLock::new(|| {
    Arc::new(DynamicObject::new("shop", &ApiResource::erase::<k8s_openapi::api::coordination::v1::Lease>(&())))
});

impl World {
    fn new(setup: Setup) -> Self {
        let times =
            Times { lease: SECOND * setup.lease as u32, deadline: SECOND * setup.deadline as u32, renew: SECOND };
        let process = |identity: &str| {
            let names = Names { identity: identity.into(), operator: ["shop".into()].into() };
            let mut candidate = Candidate::new(names, times);
            candidate.watching = true;
            Process { candidate, flight: None, ghost: None }
        };
        // A lease that a former replica has given back.
        let lease = Record {
            version: "1".into(),
            uid: "1".into(),
            holder: "".into(),
            transitions: 1,
            renewed: Some("before".into()),
            duration: Some(SECOND),
            operator: None,
            asked: None,
            object: OBJECT.clone(),
        };
        Self {
            setup,
            ticks: 0,
            processes: ["a", "b"].map(process),
            lease: Some(lease),
            versions: 1,
            uids: 1,
            deletions: setup.deletions,
            losses: setup.losses,
            wavers: setup.wavers,
        }
    }

    /// The clocks of a process.
    fn now(&self, at: usize) -> Reading {
        let passed = SECOND * self.ticks * if at == 1 { self.setup.speed } else { 1 };
        // Far from the beginning, so that times of equal age differ in nothing else.
        let wall = Timestamp::from_second(1_800_000_000).unwrap() + passed;
        Reading { monotonic: *START + passed, boot: passed, wall }
    }

    fn leads(&self, at: usize) -> bool {
        self.epoch(at).is_some()
    }

    /// The epoch of the term in which it works.
    fn epoch(&self, at: usize) -> Option<u64> {
        self.processes[at].candidate.term(&self.now(at)).map(|term| term.epoch)
    }

    /// The moves that are possible, each with its result.
    fn moves(&self) -> Vec<(Move, Self)> {
        let own = (0..2).flat_map(|at| {
            let own = [Move::Acts, Move::Commits, Move::Answers, Move::Loses];
            let others = [Move::CommitsLate, Move::Shows, Move::Stops, Move::Wavers];
            own.into_iter().chain(others).map(move |of: fn(usize) -> Move| of(at))
        });
        [Move::Tick, Move::Delete].into_iter().chain(own).filter_map(|step| Some((step, self.after(step)?))).collect()
    }

    /// Everything happens that is due, without any delay.
    fn settles(&mut self) {
        for _ in 0..6 {
            for at in 0..2 {
                for step in [Move::CommitsLate, Move::Shows, Move::Acts, Move::Commits, Move::Answers].map(|of| of(at))
                {
                    if let Some(next) = self.after(step) {
                        *self = next;
                    }
                }
            }
        }
    }

    /// Whether a leader has just sent its renewal, with enough time for another try.
    fn renews_early(&self, at: usize) -> bool {
        let process = &self.processes[at];
        let age = process.candidate.held.as_ref().map(|held| self.now(at).since(&held.renewed));
        let renews = matches!(process.candidate.sent, Some(Some(_))) && process.flight.is_some();
        self.leads(at) && renews && age == Some(SECOND) && process.candidate.pause.is_none()
    }

    /// The world after this move; `None`: it is not possible.
    fn after(&self, step: Move) -> Option<Self> {
        if !self.may(step) {
            return None;
        }
        let mut next = self.clone();
        let done = match step {
            Move::Tick => {
                next.ticks += 1;
                Some(())
            }
            Move::Delete => next.delete(),
            Move::Acts(at) => next.act(at),
            Move::Commits(at) => next.commit(at),
            Move::Answers(at) => next.answer(at),
            Move::Loses(at) => next.lose(at),
            Move::CommitsLate(at) => {
                let ghost = next.processes[at].ghost.take()?;
                next.carry_out(&ghost);
                Some(())
            }
            Move::Shows(at) => next.show(at),
            Move::Stops(at) => next.stop(at),
            Move::Wavers(at) => next.waver(at),
        };
        done.map(|()| next)
    }

    /// Whether the move may be possible; it spares a copy of the world.
    fn may(&self, step: Move) -> bool {
        match step {
            Move::Tick => true,
            Move::Delete => self.deletions > 0 && self.lease.is_some(),
            Move::Acts(at) => self.processes[at].flight.is_none(),
            Move::Commits(at) => matches!(self.processes[at].flight, Some(Flight::Sent(_))),
            Move::Answers(at) => matches!(self.processes[at].flight, Some(Flight::Answered(_))),
            Move::Loses(at) => self.losses > 0 && self.processes[at].flight.is_some(),
            Move::CommitsLate(at) => self.processes[at].ghost.is_some(),
            Move::Shows(_) => true,
            Move::Stops(_) => self.setup.stops,
            Move::Wavers(_) => self.wavers > 0,
        }
    }

    fn delete(&mut self) -> Option<()> {
        self.lease.take().filter(|_| self.deletions > 0)?;
        self.deletions -= 1;
        self.versions += 1;
        Some(())
    }

    fn act(&mut self, at: usize) -> Option<()> {
        let now = self.now(at);
        let process = &mut self.processes[at];
        if process.flight.is_some() {
            return None;
        }
        match process.candidate.next(&now) {
            Action::Wait(_) | Action::End => {}
            request => process.flight = Some(Flight::Sent(request)),
        }
        Some(())
    }

    fn commit(&mut self, at: usize) -> Option<()> {
        let Some(Flight::Sent(action)) = self.processes[at].flight.clone() else { return None };
        let answer = self.carry_out(&action);
        self.processes[at].flight = Some(Flight::Answered(answer));
        Some(())
    }

    fn answer(&mut self, at: usize) -> Option<()> {
        let Some(Flight::Answered(mut answer)) = self.processes[at].flight.take() else { return None };
        let (now, setup) = (self.now(at), self.setup);
        let candidate = &mut self.processes[at].candidate;
        if let (true, Some(Some(sent))) = (setup.has(Bug::CountsFromTheAnswer), candidate.sent.as_mut()) {
            sent.at = now;
        }
        let makes = matches!(&candidate.sent, Some(Some(sent)) if sent.uid.is_none());
        if let Answer::Lease { made, record } = &mut answer {
            let trusts =
                if makes { setup.has(Bug::WorksAtOnceAfterMaking) } else { setup.has(Bug::TrustsAWriteThatMade) };
            if trusts && *made {
                *made = false;
                if let Some(Some(sent)) = candidate.sent.as_mut() {
                    sent.uid = Some(record.uid.clone());
                }
            }
        }
        candidate.answered(answer, &now);
        Some(())
    }

    fn lose(&mut self, at: usize) -> Option<()> {
        self.losses = self.losses.checked_sub(1)?;
        let now = self.now(at);
        let process = &mut self.processes[at];
        if let Flight::Sent(write @ (Action::Create(_) | Action::Update(..))) = process.flight.take()? {
            process.ghost = Some(write);
        }
        process.candidate.answered(Answer::Unknown { timed_out: true }, &now);
        if self.setup.has(Bug::GivesUpWithoutAnAnswer) {
            process.candidate.held = None;
        }
        Some(())
    }

    fn show(&mut self, at: usize) -> Option<()> {
        let (now, setup) = (self.now(at), self.setup);
        let (version, lease) = (Arc::from(self.versions.to_string()), self.lease.clone());
        let candidate = &mut self.processes[at].candidate;
        match lease {
            None if matches!(candidate.view, View::Absent(_)) => return None,
            None => candidate.deleted(&version),
            Some(record) => {
                if matches!(&candidate.view, View::Lease(seen, _) if seen.version == record.version) {
                    return None;
                }
                let is_others = !record.holder.is_empty() && record.holder != candidate.names.identity;
                if is_others && setup.has(Bug::RenewsOnAnySeenVersion) {
                    candidate.held = None;
                    let record = Record { holder: candidate.names.identity.clone(), ..record };
                    candidate.view = View::Lease(record, now.monotonic);
                } else {
                    candidate.see(record, &now);
                }
            }
        }
        Some(())
    }

    fn stop(&mut self, at: usize) -> Option<()> {
        let candidate = &mut self.processes[at].candidate;
        if !self.setup.stops || candidate.phase == super::protocol::Phase::Releases {
            return None;
        }
        candidate.stop();
        candidate.release();
        Some(())
    }

    fn waver(&mut self, at: usize) -> Option<()> {
        self.wavers = self.wavers.checked_sub(1)?;
        let candidate = &mut self.processes[at].candidate;
        match candidate.contends {
            true => candidate.yields(),
            false => candidate.contends = true,
        }
        Some(())
    }

    /// What the server does for a request.
    fn carry_out(&mut self, action: &Action) -> Answer {
        let uidless = self.setup.has(Bug::WritesWithoutUid) || self.setup.has(Bug::TrustsAWriteThatMade);
        match (action, self.lease.clone()) {
            (Action::Create(_), Some(_)) => Answer::Conflict,
            (Action::Create(write), None) => self.make(write),
            (Action::Update(_, write), None) if uidless => self.make(write),
            (Action::Update(on, write), Some(lease))
                if on.version == lease.version && (uidless || on.uid == lease.uid) =>
            {
                let record = self.store(write, lease.uid);
                Answer::Lease { record, made: false }
            }
            (Action::Update(..), Some(_)) => Answer::Conflict,
            (Action::Update(..), None) => Answer::Conflict,
            (_, Some(record)) => Answer::Lease { record, made: false },
            (_, None) => Answer::NotFound,
        }
    }

    fn make(&mut self, write: &Write) -> Answer {
        self.uids += 1;
        let record = self.store(write, self.uids.to_string().into());
        Answer::Lease { record, made: true }
    }

    fn store(&mut self, write: &Write, uid: Arc<str>) -> Record {
        self.versions += 1;
        let record = Record {
            version: self.versions.to_string().into(),
            uid,
            holder: write.holder.clone(),
            transitions: write.transitions,
            renewed: Some(write.renewed.clone()),
            duration: Some(if write.holder.is_empty() { SECOND } else { write.duration }),
            operator: None,
            asked: None,
            object: OBJECT.clone(),
        };
        self.lease = Some(record.clone());
        record
    }
}
