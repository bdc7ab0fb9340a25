//! The gates of an operator: one for all objects, or one for each shard of them.

use std::num::NonZeroU16;
use std::sync::Arc;

use futures::future::select_all;

use super::pass_permit::PassPermit;
use super::{Leadership, WritePermit};
use crate::uid_shard::UidShard;

/// The gates of an operator. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ShardGates(Arc<[Leadership]>);

impl ShardGates {
    /// One gate for all objects.
    pub(crate) fn one(gate: Leadership) -> Self {
        Self(Arc::new([gate]))
    }

    /// A closed gate for each shard.
    #[cfg_attr(not(any(test, feature = "lease")), allow(dead_code, reason = "only replicas have shards"))]
    pub(crate) fn shards(number: NonZeroU16) -> Self {
        Self((0..number.get()).map(|_| Leadership::closed()).collect())
    }

    /// The gates in the order of their shards.
    pub(crate) fn each(&self) -> &[Leadership] {
        &self.0
    }

    /// The number of shards; `None`: all objects have one gate.
    pub(crate) fn number(&self) -> Option<NonZeroU16> {
        let number = u16::try_from(self.0.len()).ok().filter(|number| *number > 1)?;
        NonZeroU16::new(number)
    }

    /// The gate of the object with this uid. The function is called only if there are shards. An object without a uid belongs to the first
    /// one, so that it has one gate in all replicas.
    pub(crate) fn of<U: AsRef<str>>(&self, uid: impl FnOnce() -> Option<U>) -> &Leadership {
        let index = match self.number() {
            Some(number) => uid().map_or(0, |uid| UidShard::of(uid.as_ref(), number).index),
            None => 0,
        };
        &self.0[usize::from(index)]
    }

    /// Whether this replica reconciles the object with this uid now. Without shards this is true: the queue waits for the gate.
    pub(crate) fn reconciles(&self, uid: &str) -> bool {
        self.number().is_none() || self.of(|| Some(uid)).is_open()
    }

    /// A permit for a pass of the object with this uid; `None`: nothing limits it.
    pub(crate) fn pass<U: AsRef<str>>(&self, uid: impl FnOnce() -> Option<U>) -> Option<PassPermit> {
        let gate = self.of(uid);
        gate.is_leased().then(|| gate.pass())
    }

    /// A permit to write about the object with this uid.
    pub(crate) fn permit<U: AsRef<str>>(&self, uid: impl FnOnce() -> Option<U>) -> WritePermit {
        self.of(uid).permit()
    }

    /// Waits until blocking work outlives the term in which it began. Returns what it is.
    #[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only replicas have terms"))]
    pub(crate) async fn outlived(&self) -> Vec<String> {
        select_all(self.0.iter().map(|gate| Box::pin(gate.outlived()))).await.0
    }

    /// Whether the gates open only for terms.
    pub(crate) fn is_leased(&self) -> bool {
        self.0[0].is_leased()
    }

    /// Whether a pass of some object may start.
    pub(crate) fn may_start(&self) -> bool {
        self.0.iter().any(Leadership::may_start)
    }

    /// Waits until a pass of some object may start.
    pub(crate) async fn opened(&self) {
        match &*self.0 {
            [gate] => gate.opened().await,
            gates => {
                let opened = gates.iter().map(|gate| Box::pin(gate.opened()));
                select_all(opened).await;
            }
        }
    }
}
