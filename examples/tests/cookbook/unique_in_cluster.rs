//! Two objects with the same host in different namespaces: one has the host, and the other one waits for it.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;

use crate::kinds::{Site, SiteCondition, on};

/// The namespace with a ConfigMap for each host.
const HOSTS: &str = "hosts";

#[sub_reconciler(sets(on::Served), owns(ConfigMap, namespaces = any))]
pub async fn reserve_host(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let host = &site.spec.host;
    let metadata = ObjectMeta { name: Some(host.clone()), ..ObjectMeta::default() };
    cx.apply_in(HOSTS, &ConfigMap { metadata, ..ConfigMap::default() }).await?;
    for former in cx.owned_anywhere::<ConfigMap>().await? {
        if former.name != *host {
            cx.delete_in::<ConfigMap>(HOSTS, &former.name).await?;
        }
    }
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    reserve_host(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kube::Api;
    use kube::api::DeleteParams;
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    const OTHERS: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: hosts}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
apiVersion: cookbook.evenkeel.dev/v1
kind: Site
metadata: {name: first, namespace: team}
spec: {host: a.example.com}
";

    /// With the index of the other recipe, both sites would be served, since they are in two namespaces.
    #[tokio::test(start_paused = true)]
    async fn a_site_of_another_namespace_waits_for_the_host() {
        let world = World::with(OTHERS).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        pass(1).await;
        world.cluster.seed(shop("{host: a.example.com}")).await.unwrap();
        let message = world.shows("Ready", "False DependentForeign").await;
        assert!(message.contains("team/first"), "{message}");
        let first: Api<Site> = Api::namespaced(world.cluster.client(), "team");
        first.delete("first", &DeleteParams::default()).await.unwrap();
        world.shows("Ready", "True Succeeded").await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        pass(1).await;
        let hosts: Api<ConfigMap> = Api::namespaced(world.cluster.client(), HOSTS);
        assert!(hosts.get_opt("a.example.com").await.unwrap().is_none(), "the former host is free");
        assert!(hosts.get_opt("b.example.com").await.unwrap().is_some());
    }
}
