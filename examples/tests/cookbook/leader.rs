//! Two replicas with leader election.

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

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

pub fn operator(dns: Dns) -> Operator {
    Operator::new("cookbook").reconciler::<sites>(dns).replicas()
}

#[cfg(test)]
mod tests {
    use evenkeel::Replicas;
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// In a test, no service account names the namespace of the Lease.
    fn replica(dns: &Dns) -> Operator {
        operator(dns.clone()).replicas_with(Replicas { namespace: Some("default".into()), ..Replicas::default() })
    }

    /// Without `replicas()`, both create the second record.
    #[tokio::test(start_paused = true)]
    async fn the_second_replica_works_when_the_first_one_stops() {
        let world = World::with(shop("{host: a.example.com}")).await;
        let (first, second) = (Dns::default(), Dns::default());
        let leader = world.run(replica(&first));
        world.shows("Ready", "True Succeeded").await;
        let _standby = world.run(replica(&second));
        pass(60).await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        pass(5).await;
        assert_eq!((first.calls().len(), second.calls().len()), (2, 0));
        leader.stop().await;
        world.change::<Site>("shop", json!({ "spec": { "host": "c.example.com" } })).await;
        pass(5).await;
        assert_eq!(second.calls(), ["put c.example.com"]);
    }
}
