//! A bucket with objects is deleted.

use serde_json::Value;

use crate::Result;
use crate::site::{LOGIN, Site, condition, is_ready};

pub(super) async fn waits_for_an_empty_bucket(site: &Site) -> Result<()> {
    let uid = site.create("full", "north", LOGIN).await?;
    site.until("ready", "full", is_ready).await?;
    site.store.contents().change(&uid, |bucket| bucket.objects = 2);
    site.delete("full").await?;
    let waits = |bucket: &Value| {
        let stored = condition(bucket, "Stored");
        let names_it = stored["message"].as_str().is_some_and(|message| message.contains("2 objects"));
        bucket["metadata"]["deletionTimestamp"].is_string() && stored["status"] == "False" && names_it
    };
    site.until("waiting for the objects of its bucket", "full", waits).await?;
    if site.store.contents().of(&uid).next().is_none() {
        return Err("the bucket was deleted with its objects".into());
    }
    site.store.contents().change(&uid, |bucket| bucket.objects = 0);
    site.until("gone", "full", Value::is_null).await?;
    if site.store.contents().of(&uid).next().is_some() {
        return Err("the object is gone, and its bucket is still there".into());
    }
    site.eventually("the ConfigMap is gone", || async { Ok(site.maps().get_opt("full").await?.is_none()) }).await
}
