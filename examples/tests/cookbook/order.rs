//! An object waits for others of its kind.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition, depends_on = spec.after)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop, site};

    /// Without `depends_on`, both records are created in the first second.
    #[tokio::test(start_paused = true)]
    async fn a_site_waits_until_another_one_is_ready() {
        let objects = [shop("{host: shop.example.com, after: [login]}"), site("login", "{host: login.example.com}")];
        let (world, dns) = (World::with(objects.join("\n---\n")).await, Dns::default());
        dns.fail(3);
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "False DependencyNotReady").await;
        world.shows("Ready", "True Succeeded").await;
        let calls = dns.calls();
        assert_eq!((calls.len(), calls[4].as_str()), (5, "put shop.example.com"), "{calls:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn sites_that_wait_for_each_other_are_stalled() {
        let objects =
            [shop("{host: a.example.com, after: [blog]}"), site("blog", "{host: b.example.com, after: [shop]}")];
        let (world, dns) = (World::with(objects.join("\n---\n")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        let message = world.shows("Stalled", "True DependencyCycle").await;
        assert!(message.contains("blog"), "{message}");
        pass(60).await;
        assert!(dns.calls().is_empty());
    }
}
