//! What the status of a component says about a set.

use jiff::Timestamp;

use crate::dependent_rules::manifest::Digest;
use crate::status::{NotReadyObject, SetObject, SetStatus, most_not_ready};

/// The state of a set at the end of a pass.
pub(super) struct SetState {
    pub(super) wanted: usize,
    pub(super) ready: usize,
    pub(super) not_ready: Vec<NotReadyObject>,
    pub(super) applied: String,
    /// The inventory, if the set has one.
    pub(super) objects: Vec<SetObject>,
}

/// Registers the kinds and the digest of a set, before its first object is written. Returns whether a kind is new.
pub(super) fn register(
    status: &mut SetStatus,
    kinds: impl Iterator<Item = String>,
    digest: Digest,
    now: Timestamp,
) -> bool {
    let before = status.kinds.len();
    for kind in kinds {
        if !status.kinds.contains(&kind) {
            status.kinds.push(kind);
        }
    }
    status.kinds.sort();
    let digest = digest.to_string();
    if status.digest != digest {
        status.revision += 1;
        status.digest = digest;
        (status.ready, status.since) = (false, Some(now));
    }
    status.kinds.len() > before
}

/// Records the state of the set. `since` moves only when the set becomes ready, or is not ready any more.
pub(super) fn record(status: &mut SetStatus, state: SetState, now: Timestamp) {
    let is_ready = state.ready == state.wanted && state.not_ready.is_empty();
    if status.ready != is_ready {
        (status.ready, status.since) = (is_ready, Some(now));
    }
    status.wanted = i32::try_from(state.wanted).unwrap_or(i32::MAX);
    status.ready_objects = i32::try_from(state.ready).unwrap_or(i32::MAX);
    status.not_ready = most_not_ready(state.not_ready);
    (status.applied, status.objects) = (state.applied, state.objects);
}

/// The status of a set without objects.
pub(super) fn emptied(revision: i64) -> SetStatus {
    SetStatus { revision, ready: true, ..SetStatus::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> Digest {
        Digest::of_value(&text.into())
    }

    fn state(ready: usize) -> SetState {
        SetState { wanted: 2, ready, not_ready: Vec::new(), applied: String::new(), objects: Vec::new() }
    }

    #[test]
    fn a_kind_is_registered_once_and_a_new_digest_is_a_revision() {
        let (mut status, at) = (SetStatus::default(), |second| Timestamp::from_second(second).unwrap());
        let kinds = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(register(&mut status, kinds(&["Secret", "ConfigMap"]).into_iter(), digest("a"), at(1)));
        assert!(!register(&mut status, kinds(&["Secret"]).into_iter(), digest("a"), at(2)));
        assert_eq!((&status.kinds, status.revision, status.since), (&kinds(&["ConfigMap", "Secret"]), 1, Some(at(1))));
        assert!(!register(&mut status, kinds(&["Secret"]).into_iter(), digest("b"), at(3)));
        assert_eq!((status.revision, status.ready, status.since), (2, false, Some(at(3))));
    }

    #[test]
    fn since_moves_only_when_readiness_changes() {
        let (mut status, at) = (SetStatus::default(), |second| Timestamp::from_second(second).unwrap());
        let steps = [(1, 1, None), (2, 2, Some(2)), (3, 2, Some(2)), (4, 1, Some(4)), (5, 0, Some(4))];
        for (second, ready, since) in steps {
            record(&mut status, state(ready), at(second));
            assert_eq!((status.ready, status.since), (ready == 2, since.map(at)), "{second}");
        }
    }
}
