//! An error that a retry cannot fix.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ServeError {
    /// The provider does not know the host. Correct `spec.host`.
    #[error("the provider does not know the host {0:?}")]
    #[class(stalled)]
    UnknownHost(String),
    /// The provider does not answer. The operator tries again.
    #[error("the provider is busy")]
    #[class(transient)]
    Busy,
}

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, dns: &Dns, _cx: &mut Cx) -> Result<(), ServeError> {
    dns.put(&site.spec.host).await.map_err(|error| match error {
        DnsError::UnknownHost => ServeError::UnknownHost(site.spec.host.clone()),
        DnsError::Busy => ServeError::Busy,
    })
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// With `transient` instead of `stalled`, the provider is called again after 1 s, 2 s and so on.
    #[tokio::test(start_paused = true)]
    async fn a_wrong_host_is_tried_once_until_it_is_corrected() {
        let (world, dns) = (World::with(shop("{host: shop}")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        assert_eq!(world.shows("Stalled", "True UnknownHost").await, "the provider does not know the host \"shop\"");
        pass(3_600).await;
        assert_eq!(dns.calls(), ["put shop"]);
        world.change::<Site>("shop", json!({ "spec": { "host": "shop.example.com" } })).await;
        world.shows("Ready", "True Succeeded").await;
    }
}
