//! What a candidate gets, and what it returns: names and times, requests and answers, and what it knows.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::record::{Record, Write};
use crate::clock::Reading;
use crate::resource_version::is_newer;

/// How long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// How long others wait for a renewal.
    pub(crate) lease: Duration,
    /// How long the holder works without a renewal.
    pub(crate) deadline: Duration,
    /// The time between renewals.
    pub(crate) renew: Duration,
}

impl Times {
    /// The pause after an error.
    pub(super) const RETRY: Duration = Duration::from_secs(1);

    /// How long a request may take: two slow ones fit between a renewal and the deadline.
    pub(super) fn answer(&self) -> Duration {
        self.deadline.saturating_sub(self.renew) / 2
    }
}

/// Who a candidate is.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The identity of this process.
    pub(crate) identity: Arc<str>,
    /// The operator, and then its former names.
    pub(crate) operator: Arc<[Arc<str>]>,
}

/// What to do next.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Wait for an event, at most until then.
    Wait(Option<Instant>),
    Get,
    Create(Write),
    Update(Record, Write),
    /// Nothing more: the candidate has stopped.
    End,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// The lease as it is. `made`: the request has made it anew.
    Lease { record: Record, made: bool },
    /// There is no such lease.
    NotFound,
    /// It has another version, or exists already.
    Conflict,
    /// The request was not carried out.
    Refused,
    /// It is unknown whether the request was carried out.
    Unknown { timed_out: bool },
}

/// What is known of the lease.
#[derive(Clone, Debug)]
pub(super) enum View {
    Unknown,
    /// It does not exist. The version at which it was deleted, if it is known.
    Absent(Option<Arc<str>>),
    /// It exists, and has been unchanged since then.
    Lease(Record, Instant),
}

impl View {
    /// Whether the version is newer than what is known.
    pub(super) fn is_outdated_by(&self, version: &str) -> bool {
        match self {
            Self::Unknown | Self::Absent(None) => true,
            Self::Absent(Some(seen)) => is_newer(version, seen),
            Self::Lease(seen, _) => is_newer(version, &seen.version),
        }
    }
}

/// A write that was sent.
#[derive(Clone, Debug)]
pub(super) struct Try {
    pub(super) at: Reading,
    pub(super) write: Write,
    /// The uid of the lease; `None`: it makes one.
    pub(super) uid: Option<Arc<str>>,
}

/// The lease is ours.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) transitions: i32,
    /// The time in our last write.
    pub(super) wrote: Arc<str>,
    /// When that write was sent.
    pub(super) renewed: Reading,
}

/// What the candidate is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Contends,
    /// It gives its lease back, and then takes none until it contends again.
    Yields,
    /// It renews its lease and takes no other.
    Stops,
    /// It gives its lease back.
    Releases,
}
