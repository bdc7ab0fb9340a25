//! The replicas that share the shards, as the annotations of their common Lease report them.
//!
//! Each replica changes its own annotation with each renewal. A replica whose annotation has not changed for the duration of a lease, by
//! the clock of the reader, is dead.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// The prefix of the annotations. The rest is the random part of the identity.
const PREFIX: &str = "replica.evenkeel.dev/";

/// The annotation of a replica.
#[derive(Debug, Serialize, Deserialize)]
struct Presence<'p> {
    /// The identity of the process.
    replica: &'p str,
    /// The time of its last renewal. Compared with other texts only.
    renewed: &'p str,
    /// Whether it gives its shards back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    leaving: bool,
}

/// The annotation of another replica, and since when it is unchanged.
#[derive(Debug)]
struct Seen {
    text: String,
    leaving: bool,
    since: Instant,
}

/// The identities of the replicas that share the shards, in the annotations of their common Lease.
#[cfg_attr(not(feature = "doctor"), allow(dead_code, reason = "only commands about a cluster read them"))]
pub(crate) fn replicas(annotations: &BTreeMap<String, String>) -> Vec<String> {
    let texts = annotations.iter().filter(|(key, _)| key.starts_with(PREFIX)).map(|(_, text)| text);
    texts.filter_map(|text| Some(serde_json::from_str::<Presence<'_>>(text).ok()?.replica.to_owned())).collect()
}

/// The replicas that a process sees.
#[derive(Debug)]
pub(super) struct Members {
    identity: Arc<str>,
    own: String,
    others: BTreeMap<String, Seen>,
    /// How long an annotation counts without a change.
    lease: Duration,
}

impl Members {
    pub(super) fn new(identity: Arc<str>, lease: Duration) -> Self {
        let random = identity.rsplit_once('_').map_or(&*identity, |(_, random)| random);
        Self { own: format!("{PREFIX}{random}"), identity, others: BTreeMap::new(), lease }
    }

    /// Takes the annotations of a version of the Lease.
    pub(super) fn see(&mut self, annotations: &BTreeMap<String, String>, now: Instant) {
        self.others.retain(|key, _| annotations.contains_key(key));
        let others = annotations.iter().filter(|(key, _)| key.starts_with(PREFIX) && **key != self.own);
        for (key, text) in others {
            let is_same = self.others.get(key).is_some_and(|seen| seen.text == *text);
            if !is_same {
                // A text that cannot be read is that of a replica that has changed something.
                let leaving = serde_json::from_str::<Presence<'_>>(text).is_ok_and(|presence| presence.leaving);
                self.others.insert(key.clone(), Seen { text: text.clone(), leaving, since: now });
            }
        }
    }

    /// Changes the annotations for a write: our own is new, and those of dead replicas are removed. `None`: this replica has left.
    pub(super) fn write(
        &self,
        annotations: &mut BTreeMap<String, String>,
        presence: Option<(&str, bool)>,
        now: Instant,
    ) {
        annotations.retain(|key, _| self.others.get(key).is_none_or(|seen| now - seen.since < 2 * self.lease));
        match presence {
            Some((renewed, leaving)) => {
                let presence = Presence { replica: &self.identity, renewed, leaving };
                // Texts and a flag can always be written.
                annotations.insert(self.own.clone(), serde_json::to_string(&presence).unwrap_or_default());
            }
            None => drop(annotations.remove(&self.own)),
        }
    }

    /// The rank of this replica, and the number of replicas that take shards. This one counts as one of them.
    pub(super) fn rank(&self, now: Instant) -> (usize, usize) {
        let takes = |seen: &Seen| !seen.leaving && self.is_alive(seen, now);
        let others: Vec<_> = self.others.iter().filter(|(_, seen)| takes(seen)).map(|(key, _)| key).collect();
        (others.iter().filter(|key| ***key < self.own).count(), others.len() + 1)
    }

    /// Whether another replica is alive.
    pub(super) fn has_others(&self, now: Instant) -> bool {
        self.others.values().any(|seen| self.is_alive(seen, now))
    }

    /// When the next replica counts as dead, unless it renews.
    pub(super) fn changes_at(&self, now: Instant) -> Option<Instant> {
        self.others.values().filter(|seen| self.is_alive(seen, now)).map(|seen| seen.since + self.lease).min()
    }

    fn is_alive(&self, seen: &Seen, now: Instant) -> bool {
        now - seen.since < self.lease
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(15);

    #[tokio::test(start_paused = true)]
    async fn a_replica_without_a_change_is_dead_and_then_removed() {
        let begin = Instant::now();
        let members = |name: &str| Members::new(format!("pod_{name}").into(), LEASE);
        let (mut a, b) = (members("a"), members("b"));
        let mut annotations = BTreeMap::from([("team".to_owned(), "x".to_owned())]);
        a.write(&mut annotations, Some(("1", false)), begin);
        b.write(&mut annotations, Some(("1", false)), begin);
        a.see(&annotations, begin);
        assert_eq!((a.rank(begin), a.changes_at(begin)), ((0, 2), Some(begin + LEASE)));
        b.write(&mut annotations, Some(("2", false)), begin);
        a.see(&annotations, begin + LEASE / 2);
        assert_eq!(a.rank(begin + LEASE), (0, 2), "it has renewed");
        assert_eq!(replicas(&annotations), ["pod_a", "pod_b"]);
        let dead = begin + LEASE / 2 + LEASE;
        assert_eq!((a.rank(dead), a.has_others(dead)), ((0, 1), false));
        a.write(&mut annotations, Some(("3", false)), dead);
        assert_eq!(annotations.len(), 3, "a replica that slept may come back");
        a.write(&mut annotations, Some(("4", false)), dead + LEASE);
        let keys: Vec<_> = annotations.keys().collect();
        assert_eq!(keys, ["replica.evenkeel.dev/a", "team"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_leaving_replica_takes_no_shards() {
        let now = Instant::now();
        let (leaving, mut b) = (Members::new("pod_a".into(), LEASE), Members::new("pod_b".into(), LEASE));
        let mut annotations = BTreeMap::new();
        leaving.write(&mut annotations, Some(("1", true)), now);
        b.see(&annotations, now);
        assert_eq!((b.rank(now), b.has_others(now)), ((0, 1), true));
        leaving.write(&mut annotations, None, now);
        b.see(&annotations, now);
        assert!(annotations.is_empty() && !b.has_others(now));
        let text = BTreeMap::from([("replica.evenkeel.dev/a".to_owned(), "?".to_owned())]);
        b.see(&text, now);
        assert_eq!(b.rank(now), (1, 2), "it is alive, whatever it writes");
    }
}
