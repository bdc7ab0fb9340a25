//! A leader that is asked to give the lease back takes none for a while, so that another replica leads.

use std::time::Duration;

use tokio::sync::watch;

use super::election::Order;
use super::status::Status;
use crate::leadership::Leadership;

/// How long a replica takes no lease after it was asked to give it back.
pub(crate) const REST: Duration = Duration::from_secs(30);

/// Ends the passes and gives the lease back each time when this replica is asked to. `limit`: how long the passes may run.
pub(crate) async fn follow_requests(
    gate: Leadership,
    order: watch::Sender<Order>,
    mut status: watch::Receiver<Status>,
    limit: Duration,
) {
    // The election holds the sender and ends this task.
    while status.wait_for(|status| status.asked && status.leads).await.is_ok() {
        tracing::info!("this replica is asked to give the lease back, and takes none for {REST:?}");
        gate.drain(limit).await;
        order.send_replace(Order::Yield);
        if status.wait_for(|status| !status.holds).await.is_err() {
            return;
        }
        order.send_replace(Order::Rest);
        tokio::time::sleep(REST).await;
        order.send_replace(Order::Contend);
    }
}
