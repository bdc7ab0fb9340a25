//! Changes of labels, annotations and the status that do not count.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("the record was not created: {0}")]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), ServeError> {
    dns.put(&site.spec.host).await?;
    cx.status().record = site.metadata.annotations.as_ref().and_then(|all| all.get("example.com/zone").cloned());
    Ok(())
}

#[reconciler(conditions = SiteCondition, triggers(spec, annotations("example.com/zone")))]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kube::api::{Patch, PatchParams};
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `triggers(..)`, the label and the first annotation run the step, too: three calls more.
    #[tokio::test(start_paused = true)]
    async fn only_the_spec_and_one_annotation_run_the_step() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        world.change::<Site>("shop", json!({ "metadata": { "labels": { "team": "web" } } })).await;
        pass(1).await;
        world.change::<Site>("shop", json!({ "metadata": { "annotations": { "note": "1" } } })).await;
        pass(1).await;
        let status = Patch::Merge(json!({ "status": { "url": "https://a.example.com" } }));
        world.api::<Site>().patch_status("shop", &PatchParams::default(), &status).await.unwrap();
        pass(1).await;
        assert_eq!(dns.calls().len(), 1);
        world.change::<Site>("shop", json!({ "metadata": { "annotations": { "example.com/zone": "eu" } } })).await;
        pass(1).await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        pass(1).await;
        assert_eq!(dns.calls(), ["put a.example.com", "put a.example.com", "put b.example.com"]);
    }
}
