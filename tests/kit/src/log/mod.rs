//! The request log: what clients asked, in order, with what came of it.

mod entry;
mod requests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use entry::Entry;
pub use requests::Requests;

/// How many requests are remembered: more than tests make, and little enough for a server that runs for days.
const LIMIT: usize = 100_000;

/// The request log of a cluster; clones share it. It remembers the last 100,000 requests.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// # use evenkeel_testkit::Cluster;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use kube::{Api, api::ListParams};
/// let cluster = Cluster::start().await;
/// let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
/// maps.list(&ListParams::default()).await?;
/// assert_eq!(cluster.log().count(|entry| entry.resource == "configmaps"), 1);
/// assert!(cluster.log().writes().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Log {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<Entry>,
    /// How many entries came before the first one, so that an answer finds its entry or knows it gone.
    gone: usize,
}

/// The place of an entry since the start of the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(usize);

impl Log {
    /// All entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.filter(|_| true)
    }

    /// The entries that a test holds for.
    #[must_use]
    pub fn filter(&self, test: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        self.lock().entries.iter().filter(|entry| test(entry)).cloned().collect()
    }

    /// How many entries a test holds for.
    #[must_use]
    pub fn count(&self, test: impl Fn(&Entry) -> bool) -> usize {
        self.lock().entries.iter().filter(|entry| test(entry)).count()
    }

    /// The requests that were to change something, dry runs left out.
    #[must_use]
    pub fn writes(&self) -> Vec<Entry> {
        self.filter(|entry| entry.is_write() && !entry.dry_run)
    }

    /// All requests, to be narrowed down and asserted on.
    #[must_use]
    pub fn requests(&self) -> Requests {
        Requests::new(self.entries())
    }

    /// Forgets all entries.
    pub fn clear(&self) {
        let mut kept = self.lock();
        kept.gone += kept.entries.len();
        kept.entries.clear();
    }

    pub(crate) fn begin(&self, entry: Entry) -> Ticket {
        let mut kept = self.lock();
        kept.entries.push_back(entry);
        if kept.entries.len() > LIMIT {
            kept.entries.pop_front();
            kept.gone += 1;
        }
        Ticket(kept.gone + kept.entries.len() - 1)
    }

    pub(crate) fn finish(&self, ticket: Ticket, code: u16) {
        let mut kept = self.lock();
        let at = ticket.0.checked_sub(kept.gone);
        if let Some(entry) = at.and_then(|at| kept.entries.get_mut(at)) {
            entry.code = code;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
