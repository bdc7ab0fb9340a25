//! Counters of the server's work, with which tests measure the cost of a request without a clock.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of the work of a cluster since its start.
///
/// [`Cluster::work`](crate::Cluster::work) returns them.
///
/// The cost of a write does not depend on the number of objects, only on the number of watches of its namespace and
/// name. There are four exceptions:
///
/// - A write of a CRD reads all CRDs.
/// - A write of an aggregated ClusterRole reads all ClusterRoles.
/// - The creation of a pod reads the priority classes.
/// - With RBAC, each request reads the bindings.
///
/// ```
/// use evenkeel_testkit::Cluster;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::{Api, api::PostParams};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// let cluster = Cluster::start().await;
/// let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("a".into());
/// let before = cluster.work();
/// maps.create(&PostParams::default(), &map).await?;
/// assert_eq!((cluster.work() - before).written, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Stored changes, each with its own resource version.
    pub written: u64,
    /// Objects read from the store.
    ///
    /// A get reads one. A list reads all objects of the namespace or of the resource.
    pub visited: u64,
    /// Wake-ups of waiting watches.
    ///
    /// A watch wakes up if an object with its namespace and name changes, or if its kind is removed.
    pub woken: u64,
    /// Changes that watches examined: those of their namespace and name.
    pub considered: u64,
    /// Evaluations of a selector for an object.
    pub evaluated: u64,
    /// Events sent to watches, without bookmarks.
    pub delivered: u64,
    /// Bookmark timers that fired.
    ///
    /// If nothing was written since the start of the watch, it sends no bookmark, and its timer does not fire again until
    /// the next write.
    pub due: u64,
}

impl Sub for Work {
    type Output = Work;

    fn sub(self, earlier: Work) -> Work {
        Work {
            written: self.written - earlier.written,
            visited: self.visited - earlier.visited,
            woken: self.woken - earlier.woken,
            considered: self.considered - earlier.considered,
            evaluated: self.evaluated - earlier.evaluated,
            delivered: self.delivered - earlier.delivered,
            due: self.due - earlier.due,
        }
    }
}

/// The counters behind [`Work`].
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) written: Counter,
    pub(crate) visited: Counter,
    pub(crate) woken: Counter,
    pub(crate) considered: Counter,
    pub(crate) evaluated: Counter,
    pub(crate) delivered: Counter,
    pub(crate) due: Counter,
}

/// A single counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Relaxed);
    }

    fn read(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Tally {
    pub(crate) fn read(&self) -> Work {
        Work {
            written: self.written.read(),
            visited: self.visited.read(),
            woken: self.woken.read(),
            considered: self.considered.read(),
            evaluated: self.evaluated.read(),
            delivered: self.delivered.read(),
            due: self.due.read(),
        }
    }
}
