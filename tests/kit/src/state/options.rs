//! What can be chosen about a cluster.

use std::time::Duration;

use super::identity::Identities;
use crate::discovery::Release;

/// What can be chosen about a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Changes remembered per resource.
    pub(crate) history: usize,
    /// Time between bookmarks of a watch.
    pub(crate) bookmarks: Duration,
    /// Time the garbage collector lets pass before it acts.
    pub(crate) gc_delay: Duration,
    /// Reported version.
    pub(crate) release: Release,
    /// Whether roles decide who may do what.
    pub(crate) rbac: bool,
    /// Bearer tokens.
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
            identities: Identities::default(),
        }
    }
}
