//! The state of an external system is checked again and again.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("the record was not checked: {0}")]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    if !dns.has(&site.spec.host) {
        dns.put(&site.spec.host).await?;
    }
    Ok(())
}

#[reconciler(conditions = SiteCondition, requeue = spec.interval)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `requeue`, the lost record is never created again.
    #[tokio::test(start_paused = true)]
    async fn a_lost_record_is_restored_within_the_interval() {
        let (world, dns) = (World::with(shop("{host: a.example.com, interval: 5m}")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        dns.lose("a.example.com");
        world.cluster.log().clear();
        pass(330).await;
        assert!(dns.has("a.example.com"));
        // A check costs no call of the API server.
        world.cluster.log().requests().writes().assert_none();
    }
}
