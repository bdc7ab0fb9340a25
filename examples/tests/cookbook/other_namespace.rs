//! Objects in other namespaces that belong to an object.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ObjectMeta;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(ConfigMap, namespaces = any))]
pub async fn copy(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let metadata = ObjectMeta { name: Some(site.name_any()), ..ObjectMeta::default() };
    let data = Some([("host".to_owned(), site.spec.host.clone())].into());
    let map = ConfigMap { metadata, data, ..ConfigMap::default() };
    for namespace in &site.spec.namespaces {
        cx.apply_in(namespace, &map).await?;
    }
    for copy in cx.owned_anywhere::<ConfigMap>().await? {
        let namespace = copy.namespace.unwrap_or_default();
        if !site.spec.namespaces.contains(&namespace) {
            cx.delete_in::<ConfigMap>(&namespace, &copy.name).await?;
        }
    }
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    copy(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kube::Api;
    use kube::api::{DeleteParams, ListParams};
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// The namespaces with a copy.
    async fn copies(world: &World) -> Vec<String> {
        let maps: Api<ConfigMap> = Api::all(world.cluster.client());
        let copies = maps.list(&ListParams::default()).await.unwrap().items;
        copies.iter().filter(|map| map.name_any() == "shop").filter_map(ResourceExt::namespace).collect()
    }

    /// Without `namespaces = any`, `apply_in` does not compile; with an owner reference, the garbage collector would delete the copies.
    #[tokio::test(start_paused = true)]
    async fn copies_in_other_namespaces_live_as_long_as_they_are_wanted() {
        let namespaces =
            ["a", "b"].map(|name| format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}"));
        let world = World::with(format!("{}\n---\n{}", namespaces.join("\n---\n"), shop("{namespaces: [a, b]}"))).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        assert_eq!(copies(&world).await, ["a", "b"]);
        let maps: Api<ConfigMap> = Api::namespaced(world.cluster.client(), "a");
        maps.delete("shop", &DeleteParams::default()).await.unwrap();
        pass(1).await;
        assert_eq!(copies(&world).await, ["a", "b"], "a deleted copy is created again");
        world.change::<Site>("shop", json!({ "spec": { "namespaces": ["b"] } })).await;
        pass(1).await;
        assert_eq!(copies(&world).await, ["b"]);
        world.delete::<Site>("shop").await;
        world.is_gone::<Site>("shop").await;
        assert!(copies(&world).await.is_empty());
    }
}
