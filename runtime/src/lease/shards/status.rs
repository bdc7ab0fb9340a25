//! What a replica with shards reports about itself, for probes and logs.

use std::sync::Arc;

use crate::lease::{LeaseName, Status};

/// The state of a replica with shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupStatus {
    /// Whether this replica may work in its shards.
    pub(crate) works: bool,
    /// Its rank, and the number of replicas that take shards.
    pub(crate) rank: (usize, usize),
    /// The holder of the common Lease, if it stands for another number of shards.
    pub(crate) blocked: Option<Arc<str>>,
    /// Whether a person has asked this replica to give its shards back.
    pub(crate) rests: bool,
    /// The common Lease.
    pub(crate) lease: Status,
}

impl GroupStatus {
    /// Whether the replica can do its part, with a text about it. `held`: the number of its shards.
    ///
    /// # Errors
    /// It cannot work, and a person has to find out why.
    #[cfg_attr(not(any(test, feature = "metrics")), allow(dead_code, reason = "only a listener has probes"))]
    pub(crate) fn verdict(&self, operator: &str, held: usize, shards: usize) -> Result<String, String> {
        if let Some(other) = &self.blocked {
            return Err(format!(
                "the lease is held by `{other}`, and this replica has {shards} shards; stop the replicas with another number of shards first"
            ));
        }
        self.lease.verdict(operator)?;
        match self.works {
            true => Ok(format!("{held} of {shards} shards, {} replicas", self.rank.1)),
            false => Ok("candidate".to_owned()),
        }
    }

    /// Logs what a person should know of the change.
    pub(super) fn log(&self, before: &Self, lease: &LeaseName) {
        if self.works != before.works {
            tracing::info!(%lease, works = self.works, replicas = self.rank.1, "the shards of the operator are shared");
        } else if self.rank != before.rank {
            tracing::info!(%lease, rank = self.rank.0, replicas = self.rank.1, "the number of replicas has changed");
        }
        if let Some(other) = self.blocked.as_ref().filter(|_| self.blocked != before.blocked) {
            tracing::warn!(%lease, holder = %other, "replicas with another number of shards are active; waiting for their end");
        }
        if let Some(other) = self.lease.foreign.as_ref().filter(|_| self.lease.foreign != before.lease.foreign) {
            tracing::warn!(%lease, %other, "the lease belongs to another operator; set another `--lease-name`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_with_another_number_of_shards_is_not_ready() {
        let works = GroupStatus { works: true, rank: (0, 3), ..GroupStatus::default() };
        assert_eq!(works.verdict("shop", 6, 16), Ok("6 of 16 shards, 3 replicas".to_owned()));
        let blocked = GroupStatus { blocked: Some("8 shards".into()), ..GroupStatus::default() };
        let why = blocked.verdict("shop", 0, 16).unwrap_err();
        assert!(why.contains("`8 shards`") && why.contains("16 shards") && why.contains("stop"), "{why}");
        let foreign = Status { foreign: Some("store".into()), ..Status::default() };
        let why = GroupStatus { lease: foreign, ..works }.verdict("shop", 6, 16).unwrap_err();
        assert!(why.contains("store"), "{why}");
    }
}
