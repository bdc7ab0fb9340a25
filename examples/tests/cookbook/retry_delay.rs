//! An error that is retried after a fixed time only.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ServeError {
    /// The provider allows one call in five minutes.
    #[error("the provider is busy: next try in five minutes")]
    #[class(waiting(poll = "5m"))]
    Busy(#[from] DnsError),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, shop};

    /// With `transient` instead of `waiting(poll = ..)`, the tries follow after 1 s and 2 s.
    #[tokio::test(start_paused = true)]
    async fn a_busy_provider_is_called_again_after_five_minutes() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        dns.fail(2);
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "False Busy").await;
        world.shows("Ready", "True Succeeded").await;
        let minutes: Vec<u64> = dns.seconds().iter().map(|seconds| seconds / 60).collect();
        assert_eq!(minutes, [0, 5, 10]);
    }
}
