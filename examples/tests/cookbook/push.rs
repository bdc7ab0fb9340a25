//! A call from outside of the cluster triggers a reconcile.

use evenkeel::prelude::*;
use futures::Stream;
use kube::runtime::reflector::ObjectRef;

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
    if !dns.has(&site.spec.host) {
        dns.put(&site.spec.host).await?;
    }
    Ok(())
}

#[reconciler(conditions = SiteCondition, requeue = "1h")]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

/// `pushes` has an item for each call, for example of a webhook of the provider.
pub fn operator(dns: Dns, pushes: impl Stream<Item = ObjectRef<Site>> + Send + 'static) -> Operator {
    Operator::new("cookbook").reconciler::<sites>(dns).trigger::<sites>(pushes)
}

#[cfg(test)]
mod tests {
    use futures::channel::mpsc::unbounded;

    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `trigger`, the record is restored after up to an hour.
    #[tokio::test(start_paused = true)]
    async fn a_push_restores_a_lost_record_at_once() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        let (push, pushes) = unbounded();
        let _running = world.run(operator(dns.clone(), pushes));
        world.shows("Ready", "True Succeeded").await;
        dns.lose("a.example.com");
        push.unbounded_send(ObjectRef::new("shop").within("default")).unwrap();
        pass(1).await;
        assert!(dns.has("a.example.com"));
    }
}
