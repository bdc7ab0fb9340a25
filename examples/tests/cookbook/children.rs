//! One child for each item of a list; those that are no longer listed are deleted.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(ConfigMap))]
pub async fn publish(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let mut wanted = Vec::new();
    for page in &site.spec.pages {
        let name = format!("{}-{page}", site.name_any());
        let metadata = ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() };
        let data = Some([("page".to_owned(), page.clone())].into());
        cx.apply(&ConfigMap { metadata, data, ..ConfigMap::default() }).await?;
        wanted.push(name);
    }
    for name in cx.owned::<ConfigMap>().await? {
        if !wanted.contains(&name) {
            cx.delete::<ConfigMap>(&name).await?;
        }
    }
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    publish(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kube::api::ListParams;
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    async fn pages(world: &World) -> Vec<String> {
        let maps = world.api::<ConfigMap>().list(&ListParams::default()).await.unwrap();
        maps.iter().map(ResourceExt::name_any).filter(|name| name != "shop-of-another").collect()
    }

    /// Without the second loop, the page `about` stays.
    #[tokio::test(start_paused = true)]
    async fn a_page_that_leaves_the_list_is_deleted() {
        let world = World::with(shop("{pages: [about, index]}")).await;
        let other = "{apiVersion: v1, kind: ConfigMap, metadata: {name: shop-of-another}}";
        world.cluster.seed(other).await.unwrap();
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        assert_eq!(pages(&world).await, ["shop-about", "shop-index"]);
        running.stop().await;
        // The list changes while the operator is down.
        world.change::<Site>("shop", json!({ "spec": { "pages": ["index", "news"] } })).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        pass(5).await;
        assert_eq!(pages(&world).await, ["shop-index", "shop-news"]);
        assert!(world.api::<ConfigMap>().get_opt("shop-of-another").await.unwrap().is_some());
    }
}
