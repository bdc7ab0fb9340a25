//! The options of a cluster.

use std::time::Duration;

use super::identity::Identities;
use crate::discovery::Release;

/// The options of a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The number of retained changes per resource.
    pub(crate) history: usize,
    /// The interval between bookmarks of a watch.
    pub(crate) bookmarks: Duration,
    /// The delay of the garbage collector.
    pub(crate) gc_delay: Duration,
    /// The reported Kubernetes version.
    pub(crate) release: Release,
    /// Whether RBAC is enabled.
    pub(crate) rbac: bool,
    /// Whether shard selectors are supported.
    pub(crate) sharding: bool,
    /// The bearer tokens.
    pub(crate) identities: Identities,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            history: 10_000,
            bookmarks: Duration::from_secs(60),
            gc_delay: Duration::ZERO,
            release: Release::default(),
            rbac: false,
            sharding: false,
            identities: Identities::default(),
        }
    }
}
