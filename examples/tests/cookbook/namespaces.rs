//! An operator for some namespaces only.

use evenkeel::dependency::Access;
use evenkeel::prelude::*;

use crate::kinds::{Site, SiteCondition, on};

#[sub_reconciler(sets(on::Served))]
pub async fn serve(site: &Site, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().url = Some(format!("https://{}", site.spec.host));
    Ok(())
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    serve(site, cx).await?;
    Ok(())
}

pub fn operator() -> Operator {
    let operator = Operator::new("cookbook").reconciler::<sites>(());
    operator.namespaces(["team-a", "team-b"]).access(Access::SameNamespace)
}

#[cfg(test)]
mod tests {
    use kube::Api;

    use super::*;
    use crate::world::{World, pass};

    /// Without `namespaces(..)`, the site of `team-c` is reconciled, too, and the operator lists the sites of all namespaces.
    #[tokio::test(start_paused = true)]
    async fn sites_of_other_namespaces_are_not_even_listed() {
        let objects = ["team-a", "team-b", "team-c"].map(|name| {
            let site = "apiVersion: cookbook.evenkeel.dev/v1, kind: Site, spec: {host: a.example.com}";
            format!(
                "{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}\n---\n{{{site}, metadata: {{name: shop, namespace: {name}}}}}"
            )
        });
        let world = World::with(objects.join("\n---\n")).await;
        let _running = world.run(operator());
        pass(10).await;
        let mut reconciled = Vec::new();
        for namespace in ["team-a", "team-b", "team-c"] {
            let site = Api::<Site>::namespaced(world.cluster.client(), namespace).get("shop").await.unwrap();
            reconciled.push(site.status.is_some_and(|status| status.url.is_some()));
        }
        assert_eq!(reconciled, [true, true, false]);
        let reads = world.cluster.log().requests().resource("sites").reads();
        let outside = reads.filter(|entry| entry.user_agent.starts_with("cookbook") && entry.namespace.is_none());
        outside.assert_none();
    }
}
