//! The Secret of a bucket is missing, comes, and changes.

use serde_json::Value;

use crate::Result;
use crate::site::{Site, condition, is_ready};

pub(super) async fn waits_for_the_secret(site: &Site) -> Result<()> {
    let uid = site.create("waiting", "north", "late").await?;
    let waits = |bucket: &Value| {
        let found = condition(bucket, "SecretFound");
        let names_it = found["message"].as_str().is_some_and(|message| message.contains("late"));
        found["status"] == "False" && names_it && condition(bucket, "Ready")["status"] == "False"
    };
    site.until("waiting for its Secret", "waiting", waits).await?;
    site.rest().await?;
    if site.store.contents().of(&uid).next().is_some() {
        return Err("the bucket was created without its Secret".into());
    }
    site.write_secret("late", "bob").await?;
    site.until("ready", "waiting", is_ready).await?;
    Ok(())
}

pub(super) async fn follows_the_secret(site: &Site) -> Result<()> {
    site.write_secret("late", "carol").await?;
    let has_user = || async {
        let in_store = site.store.contents().buckets.values().any(|bucket| bucket.settings.user == "carol");
        let map = site.maps().get("waiting").await?;
        Ok(in_store && map.data.is_some_and(|data| data.get("user").is_some_and(|user| user == "carol")))
    };
    site.eventually("the new user is in the store and in the ConfigMap", has_user).await
}
