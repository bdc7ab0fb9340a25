//! Several installations share the objects of a kind.

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

/// The same as the flag `--label-selector`.
pub fn shard(selector: &str, dns: Dns) -> Operator {
    Operator::new("cookbook").reconciler::<sites>(dns).label_selector(selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{World, pass};

    fn labelled(name: &str, labels: &str) -> String {
        let metadata = format!("{{name: {name}, labels: {labels}}}");
        format!(
            "{{apiVersion: cookbook.evenkeel.dev/v1, kind: Site, metadata: {metadata}, spec: {{host: {name}.example.com}}}}"
        )
    }

    /// Without the selectors, both would reconcile all three sites.
    #[tokio::test(start_paused = true)]
    async fn each_site_belongs_to_one_installation() {
        let sites = [labelled("a", "{shard: large}"), labelled("b", "{}"), labelled("c", "{shard: small}")];
        let world = World::with(sites.join("\n---\n")).await;
        let (large, rest) = (Dns::default(), Dns::default());
        let _large = world.run(shard("shard=large", large.clone()));
        let _rest = world.run(shard("shard notin (large)", rest.clone()));
        pass(10).await;
        assert_eq!(large.calls(), ["put a.example.com"]);
        let mut calls = rest.calls();
        calls.sort();
        assert_eq!(calls, ["put b.example.com", "put c.example.com"]);
    }
}
