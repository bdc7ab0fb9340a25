//! Records the writes of the lease, as the server stores them.

use std::pin::pin;
use std::sync::Mutex;

use futures::StreamExt;
use kube::api::{WatchEvent, WatchParams};
use tokio_util::task::AbortOnDropHandle;

use super::*;

/// When a process wrote the lease, as the time since the start of the cluster; an empty text is no process.
pub(super) type Holder = (Duration, String);

/// The writes of the lease so far. It ends when this value is dropped.
pub(super) struct Recorder {
    writes: Arc<Mutex<Vec<Holder>>>,
    _task: AbortOnDropHandle<()>,
}

impl Recorder {
    /// `began`: the start of the cluster.
    pub(super) fn start(api: Api<Lease>, began: Instant) -> Self {
        let writes = Arc::<Mutex<_>>::default();
        let task = AbortOnDropHandle::new(tokio::spawn(record(api, began, writes.clone())));
        Self { writes, _task: task }
    }

    /// The last write. One of the same moment may still be on its way.
    pub(super) fn last(&self) -> Holder {
        self.writes.lock().unwrap().last().cloned().unwrap()
    }

    /// The first write of each term.
    pub(super) fn changes(&self) -> Vec<Holder> {
        let mut writes = self.writes.lock().unwrap().clone();
        writes.dedup_by(|next, last| next.1 == last.1);
        writes
    }
}

async fn record(api: Api<Lease>, began: Instant, writes: Arc<Mutex<Vec<Holder>>>) {
    // A watch that begins anew delivers the last version again.
    let mut version = None;
    loop {
        let Ok(events) = api.watch(&WatchParams::default(), "0").await else { continue };
        let mut events = pin!(events);
        while let Some(Ok(event)) = events.next().await {
            let (WatchEvent::Added(lease) | WatchEvent::Modified(lease)) = event else { continue };
            if version == lease.metadata.resource_version {
                continue;
            }
            version = lease.metadata.resource_version;
            let holder = lease.spec.and_then(|spec| spec.holder_identity).unwrap_or_default();
            writes.lock().unwrap().push((began.elapsed(), holder));
        }
    }
}
