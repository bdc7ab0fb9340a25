//! One object triggers all that it names.

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), watches(ConfigMap, labels = "example.com/theme", map = sites_of))]
pub async fn style(_: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    let themes = cx.mapped::<ConfigMap>().await?;
    cx.status().record = themes.first().map(|theme| theme.labels()["example.com/theme"].clone());
    Ok(())
}

/// The sites that a theme names.
fn sites_of(theme: &ConfigMap) -> Vec<Reference> {
    let names = theme.data.as_ref().and_then(|data| data.get("sites"));
    names.iter().flat_map(|names| names.split_whitespace()).map(Reference::from).collect()
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    style(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, site};

    const THEME: &str = "
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: theme, labels: {example.com/theme: dark}}
        data: {sites: 'a b'}
    ";

    /// With `map = ..` left out, the step does not compile: only a mapped kind has `cx.mapped`.
    #[tokio::test(start_paused = true)]
    async fn a_theme_triggers_the_sites_that_it_names_before_and_after_a_change() {
        let objects = ["a", "b", "c"].map(|name| site(name, "{}")).join("\n---\n");
        let world = World::with(objects).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.cluster.seed(THEME).await.unwrap();
        let themes = async || {
            pass(1).await;
            let mut themes = Vec::new();
            for name in ["a", "b", "c"] {
                themes.push(world.api::<Site>().get(name).await.unwrap().status.unwrap().record.unwrap_or_default());
            }
            themes
        };
        assert_eq!(themes().await, ["dark", "dark", ""]);
        world.change::<ConfigMap>("theme", json!({ "data": { "sites": "b c" } })).await;
        assert_eq!(themes().await, ["", "dark", "dark"]);
    }
}
