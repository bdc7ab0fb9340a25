//! A bucket is created, and its spec is changed.

use serde_json::Value;

use crate::Result;
use crate::site::{LOGIN, Site, condition, is_ready};

/// The conditions besides the summary.
const OWN: [&str; 3] = ["SecretFound", "Stored", "Published"];

pub(super) async fn becomes_ready(site: &Site) -> Result<()> {
    let uid = site.create("first", "north", LOGIN).await?;
    let bucket = site.until("ready", "first", is_ready).await?;
    for type_ in OWN {
        let found = condition(&bucket, type_);
        if found["status"] != "True" || found["observedGeneration"] != bucket["metadata"]["generation"] {
            return Err(format!("the condition {type_} is {found}").into());
        }
    }
    let stored: Vec<_> = site.store.contents().of(&uid).cloned().collect();
    let [stored] = stored.as_slice() else { return Err(format!("the store has {stored:?}").into()) };
    let map = serde_json::to_value(site.maps().get("first").await?)?;
    let expected = serde_json::json!({ "id": stored.id, "user": "alice" });
    if map["data"] != expected || map["metadata"]["ownerReferences"][0]["uid"] != uid {
        return Err(format!("the ConfigMap is {map}").into());
    }
    Ok(())
}

pub(super) async fn follows_its_spec(site: &Site) -> Result<()> {
    let before = site.bucket("first").await?;
    site.move_to("first", "south").await?;
    let is_new =
        |bucket: &Value| is_ready(bucket) && bucket["metadata"]["generation"] != before["metadata"]["generation"];
    site.until("ready in its new generation", "first", is_new).await?;
    let contents = site.store.contents();
    let regions: Vec<_> = contents.buckets.values().map(|bucket| bucket.settings.region.as_str()).collect();
    if regions == ["south"] { Ok(()) } else { Err(format!("the store has buckets in {regions:?}").into()) }
}
