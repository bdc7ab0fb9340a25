//! A finalizer that waits until a resource is free.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ServeError {
    /// The provider does not answer.
    #[error(transparent)]
    #[class(transient)]
    Dns(#[from] DnsError),
    /// The site still has visitors.
    #[error("the site still has visitors")]
    #[class(waiting(poll = "30s"))]
    InUse,
}

#[sub_reconciler(sets(on::Served), external)]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[cleanup(of = serve)]
pub async fn take_down(site: &Site, dns: &Dns, _cx: &mut Cx<'_, serve>) -> Result<(), ServeError> {
    if dns.has(&format!("visitor.{}", site.spec.host)) {
        return Err(ServeError::InUse);
    }
    Ok(dns.remove(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `external` and the cleanup, the site would be gone at once, and its record would stay.
    #[tokio::test(start_paused = true)]
    async fn a_deleted_site_stays_until_its_visitors_are_gone() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        dns.put("visitor.a.example.com").await.unwrap();
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        world.delete::<Site>("shop").await;
        pass(600).await;
        assert_eq!(world.shows("Served", "False InUse").await, "the site still has visitors");
        dns.lose("visitor.a.example.com");
        world.is_gone::<Site>("shop").await;
        assert!(!dns.has("a.example.com"));
    }
}
