//! A step waits until a Deployment is ready.

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;
use serde_json::json;

use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RolloutError {
    /// The servers of the site are starting.
    #[error(transparent)]
    #[class(waiting)]
    Starting(#[from] NotReady<Deployment>),
    #[error(transparent)]
    #[class(transparent)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Served), owns(Deployment), watches(Deployment, by_name))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), RolloutError> {
    let name = site.name_any();
    cx.apply(&deployment(&name, &site.spec.image)).await?;
    cx.require_ready::<Deployment>(&Reference::from(&name)).await?;
    Ok(())
}

fn deployment(name: &str, image: &str) -> Deployment {
    let labels = json!({ "app": name });
    let pod =
        json!({ "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "web", "image": image }] } });
    let spec = json!({ "replicas": 2, "selector": { "matchLabels": labels }, "template": pod });
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
    use std::time::Duration;

    use evenkeel_testkit::Settler;

    use super::*;
    use crate::world::{World, shop};

    /// Without `require_ready`, Ready is True before the Deployment has a replica.
    #[tokio::test(start_paused = true)]
    async fn a_site_is_ready_when_its_servers_are() {
        let world = World::with(shop("{image: 'web:1'}")).await;
        let _controllers = Settler::new().after(Duration::from_secs(40)).start(&world.cluster);
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        let message = world.shows("Ready", "False Starting").await;
        assert!(message.contains("of 2 replicas"), "{message}");
        world.shows("Ready", "True Succeeded").await;
        // The change of the image is a new roll-out.
        world.change::<Site>("shop", json!({ "spec": { "image": "web:2" } })).await;
        world.shows("Ready", "False Starting").await;
        world.shows("Ready", "True Succeeded").await;
    }
}
