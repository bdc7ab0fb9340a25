//! A copy of what a cluster stores, and the cluster set back to it.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::cluster::{Cluster, plant};
use crate::store::Saved;

/// A copy of what a cluster stores, as `etcdctl snapshot save` makes one.
#[derive(Clone, Debug)]
pub struct Backup {
    saved: Saved,
    catalog: Arc<Catalog>,
}

impl Cluster {
    /// A copy of all objects, of the resource version and of the kinds that are served.
    ///
    /// ```
    /// use evenkeel_testkit::Cluster;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let cluster = Cluster::start().await;
    /// let (backup, version) = (cluster.backup(), cluster.version());
    /// cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    /// cluster.restore(&backup);
    /// assert_eq!(cluster.version(), version);
    /// assert_eq!(cluster.snapshot().to_string(), "");
    /// # }
    /// ```
    #[must_use]
    pub fn backup(&self) -> Backup {
        Backup { saved: self.server().store.saved(), catalog: self.server().catalog() }
    }

    /// Sets the cluster back to a copy, as when its API server and etcd are stopped, etcd is restored and both are started again.
    ///
    /// The connections of all watches break. Resource versions go on from that of the copy: a watch from a later one starts and hears
    /// nothing, as on a cluster, and a list at a later one is refused (504, "Too large resource version").
    pub fn restore(&self, backup: &Backup) {
        let server = self.server();
        server.store.restore(&backup.saved);
        server.serve(Arc::clone(&backup.catalog));
        server.pages.clear();
        // Last: who comes back at once finds the restored store.
        server.breaks.send_modify(|breaks| *breaks += 1);
    }

    /// As [`restore`](Self::restore) with an empty etcd: what is left is what every cluster has, with new uids.
    pub fn wipe(&self) {
        self.restore(&Backup { saved: Saved::empty(), catalog: Arc::new(Catalog::builtin()) });
        plant(self.server());
    }
}
