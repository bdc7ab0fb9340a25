//! GET of one object.

use std::time::Duration;

use crate::api_error::{Failure, resource};
use crate::conversion;
use crate::request_context::Call;
use crate::response::Reply;
use crate::state::Server;

/// How long a read waits for a resourceVersion in the future.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn answer(server: &Server, call: &Call) -> Result<Reply, Failure> {
    if let Some(version) = call.query.version()? {
        reached(server, version).await?;
    }
    let stored = server.store.get(&call.kind.storage, &call.key(call.name()));
    let stored = stored.ok_or_else(|| Failure::not_found(resource(&call.kind, call.name())))?;
    let object = conversion::object(server, &call.lens, stored).await?;
    Reply::object(200, &call.lens, &object, call.shape)
}

/// Waits for a resourceVersion for a short time, as the watch cache of an API server does.
pub(super) async fn reached(server: &Server, version: u64) -> Result<(), Failure> {
    let mut tip = server.store.tip();
    let wait = tip.wait_for(|tip| *tip >= version);
    match tokio::time::timeout(PATIENCE, wait).await {
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::too_large(version, server.store.version())),
    }
}
