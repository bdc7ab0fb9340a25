//! A Job that runs once for each change of the spec.

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use k8s_openapi::api::batch::v1::Job;
use kube::ResourceExt;
use serde_json::json;

use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum BuildError {
    /// The Job that builds the site has not completed.
    #[error(transparent)]
    #[class(waiting)]
    Building(#[from] NotReady<Job>),
    #[error(transparent)]
    #[class(transparent)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Served), owns(Job), watches(Job, by_name))]
pub async fn build(site: &Site, cx: &mut Cx) -> Result<(), BuildError> {
    let generation = site.metadata.generation.unwrap_or_default();
    let name = format!("{}-{generation}", site.name_any());
    cx.apply(&job(&name, &site.spec.image)).await?;
    cx.require_ready::<Job>(&Reference::from(&name)).await?;
    for former in cx.owned::<Job>().await? {
        if former != name {
            cx.delete::<Job>(&former).await?;
        }
    }
    Ok(())
}

fn job(name: &str, image: &str) -> Job {
    let pod = json!({ "restartPolicy": "Never", "containers": [{ "name": "build", "image": image }] });
    let spec = json!({ "backoffLimit": 2, "template": { "spec": pod } });
    serde_json::from_value(json!({ "metadata": { "name": name }, "spec": spec }))
        .expect("the fields are those of a Job")
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    build(site, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use evenkeel_testkit::Settler;
    use kube::api::ListParams;

    use super::*;
    use crate::world::{World, pass, shop};

    async fn jobs(world: &World) -> Vec<String> {
        let jobs = world.api::<Job>().list(&ListParams::default()).await.unwrap();
        jobs.iter().map(ResourceExt::name_any).collect()
    }

    /// With one name for all generations, the second Job is refused: its template cannot be changed.
    #[tokio::test(start_paused = true)]
    async fn each_generation_is_built_by_one_job() {
        let world = World::with(shop("{image: 'web:1'}")).await;
        let _controllers = Settler::new().after(Duration::from_secs(40)).start(&world.cluster);
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        world.shows("Ready", "False Building").await;
        world.shows("Ready", "True Succeeded").await;
        running.stop().await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(()));
        pass(60).await;
        assert_eq!(jobs(&world).await, ["shop-1"], "a restart starts no other Job");
        world.change::<Site>("shop", json!({ "spec": { "image": "web:2" } })).await;
        world.shows("Ready", "False Building").await;
        assert_eq!(jobs(&world).await, ["shop-1", "shop-2"]);
        world.shows("Ready", "True Succeeded").await;
        assert_eq!(jobs(&world).await, ["shop-2"]);
    }
}
