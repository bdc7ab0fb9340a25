//! The request log: all requests in order, with the status codes of their responses.

mod entry;
mod requests;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::lock::Mutex;

pub use entry::Entry;
pub(crate) use entry::{IMPERSONATE, SentAt};
pub use requests::Requests;

/// The number of retained requests: more than a test makes, and few enough for a server that runs for days.
const LIMIT: usize = 100_000;

/// The request log of a cluster.
///
/// It retains the last 100,000 requests. Clones share it.
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
    retained: Arc<Mutex<Retained>>,
}

#[derive(Debug, Default)]
struct Retained {
    entries: VecDeque<Entry>,
    /// The number of discarded entries, with which a response finds its entry.
    gone: usize,
}

/// The position of an entry since the start of the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(usize);

impl Log {
    /// Returns all entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.filter(|_| true)
    }

    /// Returns the entries that match a predicate.
    #[must_use]
    pub fn filter(&self, test: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        self.retained.lock().entries.iter().filter(|entry| test(entry)).cloned().collect()
    }

    /// Counts the entries that match a predicate.
    #[must_use]
    pub fn count(&self, test: impl Fn(&Entry) -> bool) -> usize {
        self.retained.lock().entries.iter().filter(|entry| test(entry)).count()
    }

    /// Returns the write requests, without dry runs.
    #[must_use]
    pub fn writes(&self) -> Vec<Entry> {
        self.filter(|entry| entry.is_write() && !entry.dry_run)
    }

    /// Returns all requests, to filter them and assert on them.
    #[must_use]
    pub fn requests(&self) -> Requests {
        Requests::new(self.entries())
    }

    /// Discards all entries.
    pub fn clear(&self) {
        let mut retained = self.retained.lock();
        retained.gone += retained.entries.len();
        retained.entries.clear();
    }

    pub(crate) fn begin(&self, entry: Entry) -> Ticket {
        let mut retained = self.retained.lock();
        retained.entries.push_back(entry);
        if retained.entries.len() > LIMIT {
            retained.entries.pop_front();
            retained.gone += 1;
        }
        Ticket(retained.gone + retained.entries.len() - 1)
    }

    pub(crate) fn finish(&self, ticket: Ticket, code: u16) {
        let mut retained = self.retained.lock();
        let at = ticket.0.checked_sub(retained.gone);
        if let Some(entry) = at.and_then(|at| retained.entries.get_mut(at)) {
            entry.code = code;
        }
    }
}
