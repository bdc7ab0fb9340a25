//! A finalizer of an earlier version gets a new name.

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

#[reconciler(
    conditions = SiteCondition,
    finalizer = "cookbook.evenkeel.dev/dns",
    previously(finalizers("example.com/cleanup"))
)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use kube::ResourceExt;

    use super::*;
    use crate::world::{World, pass};

    const SITE: &str = "
        apiVersion: cookbook.evenkeel.dev/v1
        kind: Site
        metadata: {name: shop, finalizers: [example.com/cleanup]}
        spec: {host: a.example.com}
    ";

    /// Without `previously(..)`, the former finalizer stays, and the site is never gone.
    #[tokio::test(start_paused = true)]
    async fn the_former_finalizer_is_replaced() {
        let (world, dns) = (World::with(SITE).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        let site = world.api::<Site>().get("shop").await.unwrap();
        assert_eq!(site.finalizers(), ["cookbook.evenkeel.dev/dns"]);
    }

    /// The site was deleted before the new version started.
    #[tokio::test(start_paused = true)]
    async fn a_site_that_waits_for_the_former_finalizer_is_cleaned_up() {
        let (world, dns) = (World::with(SITE).await, Dns::default());
        dns.put("a.example.com").await.unwrap();
        world.delete::<Site>("shop").await;
        pass(60).await;
        assert!(world.api::<Site>().get_opt("shop").await.unwrap().is_some(), "the former finalizer holds it");
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.is_gone::<Site>("shop").await;
        assert!(!dns.has("a.example.com"));
    }
}
