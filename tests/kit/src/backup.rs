//! Backup and restore of a cluster.

use std::sync::Arc;

use crate::catalog::Catalog;
use crate::cluster::{Cluster, plant};
use crate::store::Saved;

/// A copy of the stored state of a cluster, as `etcdctl snapshot save` creates it.
#[derive(Clone, Debug)]
pub struct Backup {
    saved: Saved,
    catalog: Arc<Catalog>,
}

impl Cluster {
    /// Copies all objects, the resource version and the served kinds.
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

    /// Restores a backup.
    ///
    /// This corresponds to a restart of the API server and etcd with a restored etcd snapshot:
    ///
    /// - The connections of all watches break.
    /// - Resource versions continue from the version of the backup.
    /// - A watch from a later version starts but receives no events, as on a real cluster.
    /// - A list at a later version fails (504, "Too large resource version").
    pub fn restore(&self, backup: &Backup) {
        let server = self.server();
        server.store.restore(&backup.saved);
        server.serve(Arc::clone(&backup.catalog));
        server.pages.clear();
        // Last, so that a client that reconnects at once reads the restored store.
        server.breaks.send_modify(|breaks| *breaks += 1);
    }

    /// Restores an empty etcd; see [`restore`](Self::restore).
    ///
    /// The cluster then contains only the objects of a new cluster, with new uids.
    pub fn wipe(&self) {
        self.restore(&Backup { saved: Saved::empty(), catalog: Arc::new(Catalog::builtin()) });
        plant(self.server());
    }
}
