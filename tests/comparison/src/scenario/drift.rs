//! Others change or delete what the operator made.

use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

use crate::Result;
use crate::site::Site;

pub(super) async fn restores_the_child(site: &Site) -> Result<()> {
    let data = site.maps().get("first").await?.data;
    let is_back = || async { Ok(site.maps().get_opt("first").await?.is_some_and(|map| map.data == data)) };
    let patch = Patch::Merge(json!({ "data": { "user": "mallory" } }));
    site.maps().patch("first", &PatchParams::default(), &patch).await?;
    site.eventually("the changed ConfigMap is restored", is_back).await?;
    site.maps().delete("first", &DeleteParams::default()).await?;
    site.eventually("the deleted ConfigMap is restored", is_back).await
}

pub(super) async fn restores_the_bucket(site: &Site) -> Result<()> {
    let uid = site.buckets().get("first").await?.metadata.uid.unwrap_or_default();
    let wanted = site.store.contents().of(&uid).next().map(|bucket| bucket.settings.clone());
    site.store.contents().change(&uid, |bucket| bucket.settings.user = "mallory".to_owned());
    let is_back = || async {
        let contents = site.store.contents();
        let found: Vec<_> = contents.of(&uid).map(|bucket| Some(&bucket.settings)).collect();
        Ok(found == [wanted.as_ref()])
    };
    site.eventually("the changed bucket is restored", is_back).await?;
    site.store.contents().buckets.retain(|_, bucket| bucket.owner != uid);
    site.eventually("the deleted bucket is restored", is_back).await?;
    let has_its_id = || async {
        let id = site.store.contents().of(&uid).next().map(|bucket| bucket.id.clone());
        let data = site.maps().get("first").await?.data.unwrap_or_default();
        Ok(data.get("id") == id.as_ref())
    };
    site.eventually("the ConfigMap has the id of the new bucket", has_its_id).await
}
