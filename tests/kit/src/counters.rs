//! Counts of what the server does, so that tests can show what a request costs without a clock.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a cluster has done since its start, in counts; see [`Cluster::work`](crate::Cluster::work).
///
/// A write costs the same among few objects and among many, and grows with the watches of its namespace and name alone.
/// Four things cost more: a definition is read with all others, an aggregated role with all cluster roles, a new pod reads the priority
/// classes, and where rights are checked each request reads the bindings.
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
    /// Changes stored, each with a version of its own.
    pub written: u64,
    /// Objects read out of the store: one for a get, all of the namespace or of the resource for a list.
    pub visited: u64,
    /// Times that a waiting watch was woken: by changes of its namespace or name, or by the end of its kind.
    pub woken: u64,
    /// Changes that watches looked at: those of their namespace and name.
    pub considered: u64,
    /// Times that a selector was asked about an object.
    pub evaluated: u64,
    /// Events that watches were given, bookmarks left out.
    pub delivered: u64,
    /// Times that a bookmark was due; none is sent where nothing was written, and none is due again before something is.
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

/// One of them.
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
