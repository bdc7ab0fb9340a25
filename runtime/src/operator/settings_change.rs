//! Reconciles the objects whose steps read the settings, after a change of the settings.

use std::convert::Infallible;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Fingerprint;
use crate::queue::{Queue, TriggerSet};
use crate::watch::Primary;
use crate::wiring::Wiring;

/// The time over which the objects are spread.
const SPREAD: Duration = Duration::from_secs(60);

/// The number of groups into which they are divided.
const GROUPS: usize = 240;

/// Enqueues all cached objects at each change, spread over one minute. A newer change starts over. The digest decides whether a body runs.
pub(super) async fn enqueue_at_each_change(
    settings: Fingerprint,
    wiring: &Wiring,
    primary: Primary,
    queue: Queue,
) -> Infallible {
    let mut changes = settings.changes();
    if !wiring.reads_settings() {
        return std::future::pending().await;
    }
    changed(&mut changes).await;
    loop {
        changes.borrow_and_update();
        tokio::select! {
            () = changed(&mut changes) => {}
            never = spread(&primary, &queue) => match never {},
        }
    }
}

/// Waits for a change. The operator holds the sender, so that changes do not end.
async fn changed(changes: &mut watch::Receiver<std::sync::Arc<str>>) {
    if changes.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Enqueues the objects, and then waits for ever.
async fn spread(primary: &Primary, queue: &Queue) -> Infallible {
    let mut keys = primary.keys();
    keys.sort();
    let size = keys.len().div_ceil(GROUPS).max(1);
    let groups = u32::try_from(keys.len().div_ceil(size)).unwrap_or(1).max(1);
    for group in keys.chunks(size) {
        group.iter().for_each(|key| queue.add(key, TriggerSet::APPEARED));
        tokio::time::sleep(SPREAD / groups).await;
    }
    std::future::pending().await
}
