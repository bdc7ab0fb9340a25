//! A cleanup that needs the login of a Secret.

use evenkeel::dependency::Reference;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RecordError {
    /// The Secret with the login of the provider does not exist.
    #[error(transparent)]
    #[class(waiting)]
    LoginMissing(#[from] Absent<Secret>),
    /// The Secret has no key `token`. Add it.
    #[error(transparent)]
    #[class(waiting)]
    LoginIncomplete(#[from] Unfit<Secret>),
    /// The provider does not answer.
    #[error(transparent)]
    #[class(transient)]
    Dns(#[from] DnsError),
}

/// Reads the token, for the step and for its cleanup.
async fn token(site: &Site, cx: &mut Cx<'_, create>) -> Result<Vec<u8>, RecordError> {
    let login = site.spec.login.clone().unwrap_or_else(|| Reference::new(None, "login"));
    let secret = cx.require::<Secret>(login).await?;
    let token = secret.data.as_ref().and_then(|data| data.get("token"));
    Ok(token.ok_or_else(|| cx.unfit(&secret, "it has no key `token`"))?.0.clone())
}

#[sub_reconciler(sets(on::Served), external, watches(Secret, by_name, cache = none))]
pub async fn create(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), RecordError> {
    let _for_the_client = token(site, cx).await?;
    Ok(dns.put(&site.spec.host).await?)
}

#[cleanup(of = create)]
pub async fn remove(site: &Site, dns: &Dns, cx: &mut Cx<'_, create>) -> Result<(), RecordError> {
    let _for_the_client = token(site, cx).await?;
    Ok(dns.remove(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition, policies(unobserved))]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    create(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Namespace;
    use kube::Api;
    use kube::api::{DeleteParams, Patch, PatchParams};
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop, site};

    const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {token: s3cr3t}}";

    /// A cluster with two records, and the operator.
    async fn world(objects: &str) -> (World, Dns, crate::world::Running) {
        let (world, dns) = (World::with(objects).await, Dns::default());
        let running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        pass(1).await;
        (world, dns, running)
    }

    /// Without `watches(Secret, by_name)`, neither the step nor the cleanup compiles.
    #[tokio::test(start_paused = true)]
    async fn a_deleted_site_waits_for_its_secret() {
        let (world, dns, _running) = world(&format!("{}\n---\n{LOGIN}", shop("{host: a.example.com}"))).await;
        world.shows("Ready", "True Succeeded").await;
        world.delete::<Secret>("login").await;
        world.delete::<Site>("shop").await;
        let message = world.shows("Served", "False LoginMissing").await;
        assert!(message.contains("login"), "{message}");
        pass(3_600).await;
        assert!(dns.has("a.example.com"));
        world.cluster.seed("{apiVersion: v1, kind: Secret, metadata: {name: login}}").await.unwrap();
        world.shows("Served", "False LoginIncomplete").await;
        world.change::<Secret>("login", json!({ "stringData": { "token": "s3cr3t" } })).await;
        pass(1).await;
        assert!(!dns.has("a.example.com"), "the Secret triggers the cleanup");
        world.is_gone::<Site>("shop").await;
    }

    /// Without `policies`, the annotation has no effect.
    #[tokio::test(start_paused = true)]
    async fn the_annotation_ends_a_waiting_deletion() {
        let (world, dns, _running) = world(&format!("{}\n---\n{LOGIN}", shop("{host: a.example.com}"))).await;
        world.delete::<Secret>("login").await;
        world.delete::<Site>("shop").await;
        world.shows("Served", "False LoginMissing").await;
        let detach = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": "detach-on-delete" } } });
        world.change::<Site>("shop", detach).await;
        world.is_gone::<Site>("shop").await;
        assert!(dns.has("a.example.com"), "no cleanup has run");
    }

    /// The Secret of the namespace is deleted before the site, which has a finalizer.
    #[tokio::test(start_paused = true)]
    async fn only_a_secret_of_another_namespace_outlives_a_deleted_namespace() {
        let namespaces = "{apiVersion: v1, kind: Namespace, metadata: {name: team}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: infra}}";
        let secret = |namespace: &str| LOGIN.replace("name: login", &format!("name: login, namespace: {namespace}"));
        let own = site("own, namespace: team", "{host: own.example.com}");
        let central = site("central, namespace: team", "{host: central.example.com, login: infra/login}");
        let all = [namespaces, &secret("team"), &secret("infra"), &own, &central].join("\n---\n");
        let (world, dns, _running) = world(&all).await;
        assert!(dns.has("own.example.com") && dns.has("central.example.com"));
        let namespaces: Api<Namespace> = Api::all(world.cluster.client());
        namespaces.delete("team", &DeleteParams::default()).await.unwrap();
        pass(60).await;
        assert!(dns.has("own.example.com") && !dns.has("central.example.com"));
        let of_team: Api<Site> = Api::namespaced(world.cluster.client(), "team");
        let detach = json!({ "metadata": { "annotations": { "evenkeel.dev/policy": "detach-on-delete" } } });
        of_team.patch("own", &PatchParams::default(), &Patch::Merge(detach)).await.unwrap();
        pass(60).await;
        assert!(namespaces.get_opt("team").await.unwrap().is_none());
    }
}
