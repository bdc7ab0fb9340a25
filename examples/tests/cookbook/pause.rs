//! One object is left as it is.

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

#[reconciler(conditions = SiteCondition, requeue = "10m", suspend(field = spec.suspend, annotation))]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel::Operator;
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `suspend(..)`, the change of the host and the requeue interval run the step.
    #[tokio::test(start_paused = true)]
    async fn a_suspended_site_is_left_alone_until_it_is_resumed() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        let annotation = |value: &str| json!({ "metadata": { "annotations": { "evenkeel.dev/suspend": value } } });
        world.change::<Site>("shop", annotation("true")).await;
        world.change::<Site>("shop", json!({ "spec": { "host": "b.example.com" } })).await;
        pass(3_600).await;
        assert_eq!(dns.calls(), ["put a.example.com"]);
        world.change::<Site>("shop", annotation("false")).await;
        pass(1).await;
        assert_eq!(dns.calls(), ["put a.example.com", "put b.example.com"]);
    }
}
