//! A change of an owned object by another client is undone.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(ConfigMap))]
pub async fn configure(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let metadata = ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() };
    let data = Some([("host".to_owned(), site.spec.host.clone())].into());
    cx.apply(&ConfigMap { metadata, data, ..ConfigMap::default() }).await?;
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    configure(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// With `reads` in place of `owns`, the step could not apply the map, and no change of it would run the step.
    #[tokio::test(start_paused = true)]
    async fn a_changed_field_and_a_deleted_map_are_restored() {
        let world = World::with(shop("{host: a.example.com}")).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        let data = async || world.api::<ConfigMap>().get("shop").await.unwrap().data.unwrap();
        world.change::<ConfigMap>("shop", json!({ "data": { "host": "evil.example.com", "theme": "dark" } })).await;
        pass(1).await;
        assert_eq!(data().await["host"], "a.example.com");
        assert_eq!(data().await["theme"], "dark", "a field that the step does not apply stays");
        world.delete::<ConfigMap>("shop").await;
        pass(1).await;
        assert_eq!(data().await["host"], "a.example.com");
    }
}
