//! Nothing has changed: the operator writes nothing, and moves no time.

use std::time::Duration;

use serde_json::Value;

use crate::Result;
use crate::site::{NEVER, QUIET, Site};

/// All objects, which no write may touch.
async fn objects(site: &Site) -> Result<Value> {
    let buckets = site.buckets().list(&kube::api::ListParams::default()).await?;
    let maps = site.maps().list(&kube::api::ListParams::default()).await?;
    Ok(serde_json::json!([buckets.items, maps.items]))
}

pub(super) async fn writes_nothing(site: &mut Site) -> Result<()> {
    site.rest().await?;
    site.kill();
    let before = (objects(site).await?, site.proxy.counts());
    _ = site.proxy.take_paths();
    site.start(NEVER).await?;
    tokio::time::sleep(QUIET).await;
    let counts = site.proxy.counts() - before.1;
    if counts.writes + counts.events > 0 {
        let writes: Vec<_> = site.proxy.take_paths().into_iter().filter(|(path, _)| is_write(path)).collect();
        return Err(format!("the restarted operator sent {writes:?}").into());
    }
    unchanged(site, &before.0).await
}

fn is_write(path: &str) -> bool {
    path.starts_with("Write") || path.starts_with("Event")
}

pub(super) async fn keeps_its_conditions(site: &Site, time: Duration) -> Result<()> {
    tokio::time::sleep(time).await;
    let before = objects(site).await?;
    let calls = site.store.contents().calls;
    tokio::time::sleep(time).await;
    if site.store.contents().calls == calls {
        return Err("the operator does not check the store".into());
    }
    unchanged(site, &before).await
}

async fn unchanged(site: &Site, before: &Value) -> Result<()> {
    let after = objects(site).await?;
    if *before == after { Ok(()) } else { Err(format!("objects have changed: {before} became {after}").into()) }
}
