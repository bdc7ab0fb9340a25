//! A ConfigMap that the spec names triggers a reconcile.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ConfigError {
    /// The ConfigMap that `spec.config` names does not exist yet.
    #[error(transparent)]
    #[class(waiting)]
    ConfigMissing(#[from] Absent<ConfigMap>),
}

#[sub_reconciler(sets(on::Served), watches(ConfigMap, by_name))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), ConfigError> {
    let name = site.spec.config.as_deref().unwrap_or("defaults");
    let config = cx.require::<ConfigMap>(name).await?;
    cx.status().url = config.data.and_then(|mut data| data.remove("url"));
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    async fn url(world: &World) -> Option<String> {
        world.api::<Site>().get("shop").await.unwrap().status.unwrap().url
    }

    /// With `reads` instead of `watches`, the step cannot call `require`, and the site would keep its first URL.
    #[tokio::test(start_paused = true)]
    async fn a_named_config_map_triggers_its_site() {
        let world = World::with(shop("{config: web}")).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "False ConfigMissing").await;
        let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {url: 'https://a.example.com'}}";
        world.cluster.seed(map).await.unwrap();
        world.shows("Ready", "True Succeeded").await;
        assert_eq!(url(&world).await.as_deref(), Some("https://a.example.com"));
        world.change::<ConfigMap>("web", json!({ "data": { "url": "https://b.example.com" } })).await;
        pass(1).await;
        assert_eq!(url(&world).await.as_deref(), Some("https://b.example.com"));
    }
}
