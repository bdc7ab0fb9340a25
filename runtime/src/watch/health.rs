//! The health of an operator's watches, for its readiness check.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::error::WatchError;
use super::watch_target::WatchTarget;
use crate::lock::Mutex;

/// The watches of an operator. All clones share one record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health(Arc<Mutex<Watches>>);

#[derive(Debug, Default)]
struct Watches {
    begun: u64,
    /// The number of objects of other shards that were received; `None` if no watch selected a shard.
    foreign: Option<u64>,
    running: BTreeMap<u64, State>,
}

#[derive(Debug)]
struct State {
    place: String,
    of_one_object: bool,
    listed: bool,
    broken: Option<Broken>,
    /// Whether it has received an object of another shard.
    is_unfiltered: bool,
}

/// A series of consecutive failures.
#[derive(Clone, Debug)]
struct Broken {
    since: Instant,
    last: Instant,
    why: String,
    unknown: bool,
    help: String,
    /// The watch is silent: the absence of further failures does not show that it works.
    lasts: bool,
}

/// Time within which a broken watch fails again: a pause plus the time that a response may take. A watch that has not failed for longer
/// works, even if its stream has delivered nothing.
const FRESH: Duration = Duration::from_secs(100);

/// The state of a watch that has not listed yet or is failing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who asks is in a feature"))]
pub(crate) struct FailingWatch {
    /// The watch target.
    pub(crate) place: String,
    /// Whether it watches a single object by name.
    pub(crate) of_one_object: bool,
    /// Whether the server does not serve its kind. The operator waits until the kind is installed.
    pub(crate) of_no_kind: bool,
    /// Whether its first list is complete.
    pub(crate) listed: bool,
    /// How long it has been failing, the reason and the fix; `None` if it has not failed but has not listed yet.
    pub(crate) broken: Option<(Duration, String, String)>,
}

impl Health {
    /// Records a watch until the guard is dropped.
    pub(super) fn begin(&self, place: &WatchTarget) -> Watched {
        let mut watches = self.0.lock();
        watches.begun += 1;
        let id = watches.begun;
        if place.shard.is_some() {
            watches.foreign.get_or_insert_default();
        }
        watches.running.insert(
            id,
            State {
                place: place.to_string(),
                of_one_object: place.name.is_some(),
                listed: false,
                broken: None,
                is_unfiltered: false,
            },
        );
        Watched { place: place.clone(), health: self.clone(), id }
    }

    /// The watches that have not listed yet or are failing.
    #[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who asks is in a feature"))]
    pub(crate) fn failing(&self) -> Vec<FailingWatch> {
        let now = Instant::now();
        let watches = self.0.lock();
        let failing = watches.running.values().filter(|state| !state.listed || state.broken(now).is_some());
        failing.map(|state| state.failing(now)).collect()
    }

    /// The number of objects of other shards that API servers have sent; `None` if no watch selected a shard.
    #[cfg(any(feature = "metrics", feature = "__test-hooks", test))]
    pub(crate) fn foreign_objects(&self) -> Option<u64> {
        self.0.lock().foreign
    }
}

impl State {
    fn broken(&self, now: Instant) -> Option<&Broken> {
        self.broken.as_ref().filter(|broken| broken.lasts || now.duration_since(broken.last) <= FRESH)
    }

    fn failing(&self, now: Instant) -> FailingWatch {
        let details = |broken: &Broken| (now.duration_since(broken.since), broken.why.clone(), broken.help.clone());
        FailingWatch {
            place: self.place.clone(),
            of_one_object: self.of_one_object,
            of_no_kind: self.broken(now).is_some_and(|broken| broken.unknown),
            listed: self.listed,
            broken: self.broken(now).map(details),
        }
    }
}

/// A running watch.
pub(super) struct Watched {
    pub(super) place: WatchTarget,
    health: Health,
    id: u64,
}

impl Watched {
    /// Records a complete list.
    pub(super) fn listed(&self) {
        self.change(|state| state.listed = true);
    }

    /// Records that the watch works.
    pub(super) fn works(&self) {
        self.change(|state| state.broken = None);
    }

    /// Records a failure. The first of several consecutive failures sets the start time.
    pub(super) fn fails(&self, watch_error: &WatchError) {
        let now = Instant::now();
        self.change(|state| {
            let since = state.broken(now).map_or(now, |broken| broken.since);
            let unknown = *watch_error == WatchError::Unknown;
            let (why, help) = (watch_error.to_string(), watch_error.help(&self.place));
            let lasts = matches!(watch_error, WatchError::Silent(_));
            state.broken = Some(Broken { since, last: now, why, unknown, help, lasts });
        });
    }

    /// Records an object of another shard, and logs the first one of each watch.
    pub(super) fn receives_foreign(&self) {
        let is_first = {
            let mut watches = self.health.0.lock();
            *watches.foreign.get_or_insert_default() += 1;
            let state = watches.running.get_mut(&self.id);
            state.is_some_and(|state| !std::mem::replace(&mut state.is_unfiltered, true))
        };
        if is_first {
            tracing::warn!(
                watch = %self.place,
                "an API server ignores the shard selector; enable the feature gate ShardedListAndWatch on all of them"
            );
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        if let Some(state) = self.health.0.lock().running.get_mut(&self.id) {
            change(state);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.health.0.lock().running.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Scope;
    use crate::wiring::KindInfo;

    #[tokio::test(start_paused = true)]
    async fn a_watch_is_broken_until_failures_stop_for_a_while() {
        let health = Health::default();
        let place = Scope::default().places(&KindInfo::of::<k8s_openapi::api::core::v1::Secret>()).remove(0);
        let broken = || health.failing().first().and_then(|one| one.broken.as_ref().map(|(time, ..)| time.as_secs()));
        let watched = health.begin(&place);
        assert_eq!((health.failing().len(), broken()), (1, None), "it has not listed yet");
        watched.listed();
        assert_eq!(health.failing(), []);
        for seconds in [0, 60, 120] {
            watched.fails(&WatchError::Expired);
            assert_eq!(broken(), Some(seconds));
            tokio::time::advance(Duration::from_secs(60)).await;
        }
        tokio::time::advance(Duration::from_secs(41)).await;
        assert_eq!(broken(), None, "its stream runs");
        watched.fails(&WatchError::Expired);
        assert_eq!(broken(), Some(0), "this is another time");
        watched.works();
        assert_eq!(broken(), None);
        drop(watched);
        assert_eq!(health.0.lock().running.len(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn each_watch_is_reported_separately() {
        let health = Health::default();
        let place = Scope::default().places(&KindInfo::of::<k8s_openapi::api::core::v1::Secret>()).remove(0);
        let (first, second) = (health.begin(&place), health.begin(&place));
        assert_eq!(health.failing().len(), 2);
        first.listed();
        second.listed();
        first.fails(&WatchError::Unknown);
        second.fails(&WatchError::Expired);
        let of_no_kind: Vec<bool> = health.failing().iter().map(|one| one.of_no_kind).collect();
        assert_eq!(of_no_kind, [true, false]);
        drop(first);
        assert_eq!(health.failing().len(), 1);
    }
}
