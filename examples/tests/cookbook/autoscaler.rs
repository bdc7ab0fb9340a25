//! A field of an owned object that belongs to another controller.

use evenkeel::prelude::*;
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;
use serde_json::json;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served), owns(Deployment))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    cx.apply(&deployment(&site.name_any(), &site.spec.image)).await?;
    Ok(())
}

/// Has no `replicas`: an autoscaler sets them.
fn deployment(name: &str, image: &str) -> Deployment {
    let labels = json!({ "app": name });
    let pod =
        json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "web", "image": image }] } });
    let spec = json!({ "selector": { "matchLabels": labels }, "template": pod });
    let deployment = json!({ "metadata": { "name": name }, "spec": spec });
    serde_json::from_value(deployment).expect("the fields are those of a Deployment")
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop};

    /// With `replicas` in the applied Deployment, the operator sets them back after each change of the autoscaler.
    #[tokio::test(start_paused = true)]
    async fn the_replicas_of_an_autoscaler_stay() {
        let world = World::with(shop("{image: 'web:1'}")).await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "True Succeeded").await;
        world.change::<Deployment>("shop", json!({ "spec": { "replicas": 5 } })).await;
        pass(5).await;
        world.change::<Site>("shop", json!({ "spec": { "image": "web:2" } })).await;
        pass(5).await;
        let spec = world.api::<Deployment>().get("shop").await.unwrap().spec;
        let image = spec.template.spec.unwrap().containers.remove(0).image;
        assert_eq!((spec.replicas, image.as_deref()), (Some(5), Some("web:2")));
    }
}
