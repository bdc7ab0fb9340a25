//! What a candidate reports about itself, for probes and metrics.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

/// How long the lease may be out of reach before the replica is not ready; longer than a restart of the API server.
const LONG: Duration = Duration::from_secs(120);

/// The state of a candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// Whether this replica works.
    pub(crate) leads: bool,
    /// Whether the lease is ours, also while an earlier holder may still work.
    pub(crate) holds: bool,
    /// Whether the lease can be taken now.
    pub(crate) free: bool,
    /// Whether a person asks this replica to give the lease back.
    pub(crate) asked: bool,
    /// The holder of the lease, if it has one.
    pub(crate) holder: Option<Arc<str>>,
    /// The operator to which the lease belongs, if it is another one.
    pub(crate) foreign: Option<Arc<str>>,
    /// Since when the lease is out of reach, and why.
    pub(crate) failing: Option<(Instant, String)>,
}

impl Status {
    /// Whether the replica can do its part, with a text about it.
    ///
    /// # Errors
    /// It cannot lead, and a person has to find out why.
    #[cfg_attr(not(any(test, feature = "metrics")), allow(dead_code, reason = "only a listener has probes"))]
    pub(crate) fn verdict(&self, operator: &str) -> Result<String, String> {
        if let Some(other) = &self.foreign {
            return Err(format!(
                "the lease belongs to the operator {other}, and this is {operator}; give each its own `--lease-name`"
            ));
        }
        match &self.failing {
            Some((since, why)) if since.elapsed() >= LONG => {
                Err(format!("the lease has been out of reach for {} s: {why}", since.elapsed().as_secs()))
            }
            _ if self.leads => Ok("leader".to_owned()),
            _ => {
                Ok(self.holder.as_ref().map_or_else(|| "candidate".to_owned(), |holder| format!("standby of {holder}")))
            }
        }
    }

    /// Records that the lease is out of reach. Returns true if it was not before.
    pub(super) fn fails(&mut self, why: String) -> bool {
        let since = self.failing.as_ref().map(|(since, _)| *since);
        self.failing = Some((since.unwrap_or_else(Instant::now), why));
        since.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_replica_is_ready_unless_it_could_never_lead() {
        let mut status = Status::default();
        assert_eq!(status.verdict("shop"), Ok("candidate".to_owned()));
        status.holder = Some("b_1".into());
        assert_eq!(status.verdict("shop"), Ok("standby of b_1".to_owned()));
        assert!(status.fails("no route".to_owned()) && !status.fails("grant it".to_owned()));
        tokio::time::advance(LONG - Duration::from_secs(1)).await;
        assert!(status.verdict("shop").is_ok());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(status.verdict("shop").unwrap_err(), "the lease has been out of reach for 120 s: grant it");
        let status = Status { foreign: Some("store".into()), leads: false, ..Status::default() };
        let why = status.verdict("shop").unwrap_err();
        assert!(why.contains("store") && why.contains("shop"), "{why}");
    }
}
