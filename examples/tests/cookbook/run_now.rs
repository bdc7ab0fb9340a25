//! A user requests a pass, or a one-shot action.

use evenkeel::prelude::*;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error(transparent)]
pub enum ServeError {
    #[class(transient)]
    Dns(#[from] DnsError),
}

#[sub_reconciler(sets(on::Served), actions(recreate))]
pub async fn serve(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), ServeError> {
    if cx.requested("recreate") {
        dns.remove(&site.spec.host).await?;
    }
    Ok(dns.put(&site.spec.host).await?)
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

    /// The annotations are those of `kubectl annotate site shop evenkeel.dev/requestedAt=1`. Without them, an unchanged site has no pass.
    #[tokio::test(start_paused = true)]
    async fn a_request_runs_the_step_once_and_the_action_only_if_it_is_named() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        let request = json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "1" } } });
        world.change::<Site>("shop", request).await;
        pass(60).await;
        assert_eq!(dns.calls(), ["put a.example.com"; 2]);
        let action = json!({ "evenkeel.dev/requestedAt": "2", "evenkeel.dev/recreateAt": "2" });
        world.change::<Site>("shop", json!({ "metadata": { "annotations": action } })).await;
        pass(60).await;
        // A restart does not repeat the action.
        running.stop().await;
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        pass(60).await;
        assert_eq!(dns.calls()[2..], ["remove a.example.com", "put a.example.com"]);
        let status = world.api::<Site>().get("shop").await.unwrap().status.unwrap();
        assert_eq!(status.last_handled_reconcile_at.as_deref(), Some("2"));
    }
}
