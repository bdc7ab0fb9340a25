//! Runs a candidate: sends its requests, hands it the answers, and opens and closes the gate.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, OptionFuture};
use kube::Client;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::candidate::Candidate;
use super::follow::{Follower, Seen};
use super::protocol::{Action, Answer, Names, Times, View};
use super::record::Record;
use super::requests::{Explained, LeaseName, Requests};
use super::status::Status;
use crate::clock::Reading;
use crate::leadership::{Leadership, Term};
use crate::task::task;

/// How long the event about a new term may take.
const ANNOUNCED: Duration = Duration::from_secs(10);

/// What an election needs.
pub(crate) struct Election {
    /// A client that no one else uses.
    pub(crate) client: Client,
    pub(crate) lease: LeaseName,
    pub(crate) names: Names,
    pub(crate) times: Times,
    pub(crate) gate: Leadership,
    pub(crate) status: watch::Sender<Status>,
    /// Whether it shall contend.
    pub(crate) orders: Orders,
    /// No lease is taken from then on.
    pub(crate) stop: CancellationToken,
    /// The lease is given back.
    pub(crate) release: CancellationToken,
}

/// What others decide about an election.
pub(crate) struct Orders {
    pub(crate) order: watch::Receiver<Order>,
    /// The end of the right to work of all candidates of this process; `None`: it has no other end than that of the lease.
    pub(crate) limit: Option<watch::Receiver<Option<Term>>>,
}

/// What a candidate shall do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// Take the lease when it is free.
    #[default]
    Contend,
    /// Take no lease, and keep one that it has.
    Rest,
    /// Give the lease back, and take none.
    Yield,
}

struct Running {
    candidate: Candidate,
    requests: Requests,
    follower: Follower,
    gate: Leadership,
    status: watch::Sender<Status>,
    orders: Orders,
    /// The term of the lease, and the limit of all candidates.
    known: (Option<Term>, Option<Term>),
    term: Option<Term>,
}

impl Election {
    /// Contends for the lease until it has been given back.
    pub(crate) async fn run(self) {
        let Self { client, lease, names, times, gate, status, orders, stop, release } = self;
        let requests = Requests { client, lease: Arc::new(lease) };
        let follower = Follower::start(requests.clone());
        let candidate = Candidate::new(names, times);
        let known = (None, None);
        let mut running = Running { candidate, requests, follower, gate, status, orders, known, term: None };
        running.obey();
        let mut answer: Option<BoxFuture<'static, Explained>> = None;
        loop {
            let now = Reading::now();
            let wake = match running.candidate.next(&now) {
                Action::End => break,
                Action::Wait(until) => until,
                request => {
                    answer = Some(running.send(request).boxed());
                    continue;
                }
            };
            running.publish(&now);
            tokio::select! {
                biased;
                Some(explained) = OptionFuture::from(answer.as_mut()) => {
                    answer = None;
                    running.answered(explained);
                }
                seen = running.follower.events.recv() => match seen {
                    Some(seen) => running.seen(seen),
                    None => running.follow_anew(),
                },
                Ok(()) = running.orders.order.changed() => running.obey(),
                () = changed(&mut running.orders.limit) => {}
                () = stop.cancelled(), if !running.candidate.is_stopping() => running.candidate.stop(),
                () = release.cancelled(), if !running.candidate.is_releasing() => running.candidate.release(),
                () = sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {}
            }
        }
        running.publish(&Reading::now());
    }
}

/// Waits until the limit changes.
async fn changed(limit: &mut Option<watch::Receiver<Option<Term>>>) {
    let has_changed = match limit {
        Some(limit) => limit.changed().await.is_ok(),
        None => false,
    };
    if !has_changed {
        std::future::pending::<()>().await;
    }
}

impl Running {
    fn obey(&mut self) {
        match *self.orders.order.borrow_and_update() {
            Order::Contend => self.candidate.contends = true,
            Order::Rest => self.candidate.contends = false,
            Order::Yield => self.candidate.yields(),
        }
    }

    /// The term in which this process may work: that of the lease, up to the limit.
    fn limited(&self, own: Option<Term>, limit: Option<Term>, now: &Reading) -> Option<Term> {
        let own = own?;
        if self.orders.limit.is_none() {
            return Some(own);
        }
        let left = limit?.left(now)?;
        Some(Term { lasts: own.lasts.min(now.since(&own.renewed) + left), ..own })
    }

    /// Sends the request; it has an answer in time, or none.
    fn send(&self, request: Action) -> impl Future<Output = Explained> + Send + use<> {
        let (requests, limit) = (self.requests.clone(), self.candidate.times.answer());
        async move {
            let none = (Answer::Unknown { timed_out: true }, Some(format!("no response within {limit:?}")));
            timeout(limit, requests.send(request)).await.unwrap_or(none)
        }
    }

    fn answered(&mut self, (answer, why): Explained) {
        let is_conflict = matches!(answer, Answer::Conflict);
        if is_conflict && self.candidate.held.is_none() {
            // The watch should have reported the other version: it may be dead.
            self.follow_anew();
        }
        self.candidate.answered(answer, &Reading::now());
        match why {
            Some(why) => self.fails(&why),
            None => self.works(),
        }
    }

    fn follow_anew(&mut self) {
        self.candidate.watches(false, &Reading::now());
        self.follower = Follower::start(self.requests.clone());
    }

    fn seen(&mut self, seen: Seen) {
        let now = Reading::now();
        match seen {
            Seen::Begins => self.candidate.watches(true, &now),
            Seen::Changed(object) => {
                self.works();
                self.candidate.see(Record::of(object), &now);
            }
            Seen::Deleted(object) => {
                self.works();
                self.candidate.deleted(&object.metadata.resource_version.unwrap_or_default().into());
            }
            Seen::Ends(why) => {
                self.candidate.watches(false, &now);
                if let Some(why) = why {
                    tracing::debug!(error = why, "the watch of the lease failed; reading the lease instead");
                }
            }
        }
    }

    fn fails(&self, why: &str) {
        self.status.send_modify(|status| {
            if status.fails(why.to_owned()) {
                let lease = self.requests.lease.to_string();
                tracing::warn!(lease, error = why, "the lease is out of reach; retrying");
            }
        });
    }

    fn works(&self) {
        self.status.send_if_modified(|status| status.failing.take().is_some());
    }

    /// Opens or closes the gate, and reports the state of the candidate.
    fn publish(&mut self, now: &Reading) {
        let own = self.candidate.term(now);
        let limit = self.orders.limit.as_ref().and_then(|limit| *limit.borrow());
        let known = std::mem::replace(&mut self.known, (own, limit));
        let term = if known == (own, limit) { self.term } else { self.limited(own, limit, now) };
        if term != self.term {
            match term {
                Some(term) => self.gate.grant(term),
                None => self.gate.close(),
            }
            let before = std::mem::replace(&mut self.term, term);
            self.log(before);
        }
        let record = match &self.candidate.view {
            View::Lease(record, _) => Some(record),
            View::Unknown | View::Absent(_) => None,
        };
        let holder = record.map(|record| record.holder.clone()).filter(|holder| !holder.is_empty());
        let next = Status {
            leads: term.is_some(),
            holds: self.candidate.held.is_some(),
            free: self.candidate.is_free(now),
            asked: record.is_some_and(|record| record.asked.as_ref() == Some(&self.candidate.names.identity)),
            holder,
            foreign: self.candidate.foreign().cloned(),
            failing: None,
        };
        self.status.send_if_modified(|status| {
            let next = Status { failing: status.failing.clone(), ..next };
            let is_other = *status != next;
            if is_other {
                if let Some(other) = next.foreign.as_ref().filter(|_| status.foreign.is_none()) {
                    let (lease, operator) = (self.requests.lease.to_string(), &self.candidate.names.operator[0]);
                    tracing::warn!(lease, %other, %operator, "the lease belongs to another operator; set another `--lease-name`");
                }
                *status = next;
            }
            is_other
        });
    }

    fn log(&self, before: Option<Term>) {
        let lease = self.requests.lease.to_string();
        match (before, self.term) {
            (None, Some(Term { epoch, .. })) => {
                tracing::info!(lease, epoch, "this replica is the leader");
                if let View::Lease(record, _) = &self.candidate.view {
                    let (requests, record, names) =
                        (self.requests.clone(), record.clone(), self.candidate.names.clone());
                    tokio::spawn(task(async move {
                        let announced = requests.announce(&record, &names.operator[0], &names.identity);
                        // Nothing depends on it.
                        let _ = timeout(ANNOUNCED, announced).await;
                    }));
                }
            }
            (Some(_), None) if self.candidate.is_leaving() => tracing::info!(lease, "the lease is given back"),
            (Some(Term { epoch, .. }), None) => {
                tracing::warn!(lease, epoch, "LeaseLost: another replica may be active; running passes are dropped");
            }
            _ => {}
        }
    }
}
