//! The memory of an operator whose objects do not change.

use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use kube::api::ListParams;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::site::{LOGIN, NEVER, Site, is_ready};

/// How long the operator may take until all objects are Ready.
const PATIENCE: Duration = Duration::from_secs(1_800);

/// The memory in bytes, after the objects were created and after a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Memory {
    pub objects: usize,
    pub after_creation: u64,
    pub after_restart: u64,
}

pub async fn measure(site: &mut Site, objects: usize) -> Result<Memory> {
    site.start(NEVER).await?;
    let create = |number: usize| {
        let site = &*site;
        async move { site.create(&format!("many-{number}"), "north", LOGIN).await.map(drop) }
    };
    futures::stream::iter((0..objects).map(create)).buffer_unordered(8).try_collect::<()>().await?;
    all_ready(site, objects).await?;
    let after_creation = settled(site).await?;
    site.start(NEVER).await?;
    let after_restart = settled(site).await?;
    Ok(Memory { objects, after_creation, after_restart })
}

async fn all_ready(site: &Site, objects: usize) -> Result<()> {
    let start = Instant::now();
    loop {
        let list = site.buckets().list(&ListParams::default()).await?;
        let all = list.items.into_iter().filter_map(|bucket| serde_json::to_value(bucket).ok());
        let ready = all.filter(is_ready).count();
        if ready >= objects {
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("{ready} of {objects} objects are ready after {PATIENCE:?}").into());
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// The memory, when no request was sent for a while.
async fn settled(site: &Site) -> Result<u64> {
    while site.proxy.quiet_for() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    site.operator()?.pss()
}
