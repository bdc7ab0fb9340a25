//! What a model has: its times, its incidents, and the mistake that it should find.

/// A mistake in a candidate or in a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bug {
    /// The term counts from the answer to a renewal.
    CountsFromTheAnswer,
    /// A holder renews on a version that another one wrote.
    RenewsOnAnySeenVersion,
    /// Who makes a lease works at once.
    WorksAtOnceAfterMaking,
    /// A write does not name the uid, so that it makes a deleted lease anew.
    WritesWithoutUid,
    /// A write without a uid, whose answer 201 counts as any other.
    TrustsAWriteThatMade,
    /// A try without an answer closes the gate.
    GivesUpWithoutAnAnswer,
}

/// What a model has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    /// The deadline and the lease, in seconds; a renewal is due each second.
    pub(super) deadline: u64,
    pub(super) lease: u64,
    /// How many times as fast the clock of the second candidate runs.
    pub(super) speed: u32,
    /// How often a person deletes the lease.
    pub(super) deletions: u8,
    /// How many requests or answers are lost.
    pub(super) losses: u8,
    /// Whether candidates stop.
    pub(super) stops: bool,
    /// How often a candidate yields, or contends again.
    pub(super) wavers: u8,
    pub(super) bug: Option<Bug>,
}

impl Setup {
    pub(super) const DESIGNED: Self =
        Self { deadline: 2, lease: 3, speed: 1, deletions: 0, losses: 0, stops: false, wavers: 0, bug: None };

    pub(super) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}
