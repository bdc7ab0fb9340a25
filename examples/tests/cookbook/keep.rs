//! An external resource that outlives its object.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served), external)]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[cleanup(of = serve)]
pub async fn take_down(site: &Site, dns: &Dns, _cx: &mut Cx<'_, serve>) -> Result<(), ServeError> {
    Ok(dns.remove(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition, policies(unobserved))]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, shop};

    /// Without `policies(..)`, the annotation has no effect, and the record is removed.
    #[tokio::test(start_paused = true)]
    async fn the_record_stays_if_the_annotation_says_it() {
        for (policy, stays) in [("manage", false), ("detach-on-delete", true)] {
            let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
            let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
            world.shows("Ready", "True Succeeded").await;
            let annotation = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": policy } } });
            world.change::<Site>("shop", annotation).await;
            world.delete::<Site>("shop").await;
            world.is_gone::<Site>("shop").await;
            assert_eq!(dns.has("a.example.com"), stays, "{policy}");
        }
    }
}
