//! What the operator would do, without doing it.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ObjectMeta;
use kube::{Client, ResourceExt};

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

/// The same as the flag `--dry-run`, with the report as a text.
pub async fn report(client: Client) -> evenkeel::Result<String> {
    let mut report = Vec::new();
    Operator::new("cookbook").reconciler::<sites>(()).client(client).dry_run(&mut report).await?;
    Ok(String::from_utf8_lossy(&report).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, shop};

    /// With `run_until` in place of `dry_run`, the ConfigMap is changed.
    #[tokio::test(start_paused = true)]
    async fn a_dry_run_prints_the_difference_and_changes_nothing() {
        let world = World::with(shop("{host: a.example.com}")).await;
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        running.stop().await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        let version = world.cluster.version();
        let report = report(world.cluster.client()).await.unwrap();
        assert!(report.contains("would apply configmaps default/shop:"), "{report}");
        assert!(report.contains("-  host: a.example.com") && report.contains("+  host: b.example.com"), "{report}");
        assert_eq!(world.cluster.version(), version, "nothing was stored");
    }
}
