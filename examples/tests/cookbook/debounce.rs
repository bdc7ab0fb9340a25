//! Many changes in a row lead to one pass.

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

#[reconciler(conditions = SiteCondition, debounce = "5s")]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    /// Without `debounce`, each of the four changes has a pass of its own.
    #[tokio::test(start_paused = true)]
    async fn four_changes_within_the_window_have_one_pass() {
        let (world, dns) = (World::with(shop("{host: a.example.com}")).await, Dns::default());
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        world.shows("Ready", "True Succeeded").await;
        for host in ["b", "c", "d", "e"] {
            world.change::<Site>("shop", json!({ "spec": { "host": format!("{host}.example.com") } })).await;
            pass(1).await;
        }
        pass(30).await;
        assert_eq!(dns.calls(), ["put a.example.com", "put e.example.com"]);
    }
}
