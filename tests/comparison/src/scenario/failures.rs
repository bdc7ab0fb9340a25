//! The store fails for a while, and refuses what cannot work.

use std::time::Duration;

use serde_json::Value;

use crate::Result;
use crate::site::{LOGIN, Site, condition, is_ready};

pub(super) async fn retries_a_failure(site: &Site) -> Result<()> {
    site.store.contents().fails = true;
    let created = site.create("unlucky", "north", LOGIN).await;
    let shows = |bucket: &Value| {
        let stored = condition(bucket, "Stored");
        let names_it = stored["message"].as_str().is_some_and(|message| message.contains("503"));
        stored["status"] != "True" && names_it && condition(bucket, "Ready")["status"] != "True"
    };
    let shown = site.until("showing the failure of the store", "unlucky", shows).await;
    site.store.contents().fails = false;
    created?;
    shown?;
    site.until("ready", "unlucky", is_ready).await?;
    Ok(())
}

pub(super) async fn reports_a_refusal(site: &Site) -> Result<()> {
    site.create("refused", "mars", LOGIN).await?;
    let shows = |bucket: &Value| {
        let stored = condition(bucket, "Stored");
        let names_it = stored["message"].as_str().is_some_and(|message| message.contains("mars"));
        stored["status"] == "False" && names_it && condition(bucket, "Ready")["status"] == "False"
    };
    site.until("showing the refusal", "refused", shows).await?;
    site.rest().await?;
    let before = (site.proxy.counts().writes, site.store.contents().calls);
    tokio::time::sleep(Duration::from_secs(12)).await;
    let after = (site.proxy.counts().writes, site.store.contents().calls);
    if before != after {
        return Err(format!("writes and calls of the store went on: {before:?}, then {after:?}").into());
    }
    site.move_to("refused", "south").await?;
    site.until("ready", "refused", is_ready).await?;
    Ok(())
}
