//! A Secret that the spec names is read without a trace of its content.

use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Secret;

use crate::dns::{Dns, DnsError};
use crate::kinds::{Site, SiteCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum LoginError {
    /// The Secret that `spec.login` names does not exist yet.
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

#[sub_reconciler(sets(on::Served), watches(Secret, by_name, cache = none))]
pub async fn serve(site: &Site, dns: &Dns, cx: &mut Cx) -> Result<(), LoginError> {
    let Some(login) = &site.spec.login else { return Ok(()) };
    let secret = cx.require::<Secret>(login).await?;
    let Some(token) = secret.data.as_ref().and_then(|data| data.get("token")) else {
        return Err(cx.unfit(&secret, "it has no key `token`").into());
    };
    let _for_the_client = &token.0;
    Ok(dns.put(&site.spec.host).await?)
}

#[reconciler(conditions = SiteCondition)]
pub async fn sites(site: &Site, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    serve(site, dns, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Verb;
    use serde_json::json;

    use super::*;
    use crate::world::{World, pass, shop};

    const LOGIN: &str = "{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: hunter2}}";

    /// With `labels = ".."` instead of `by_name`, the operator would list Secrets that no site names.
    #[tokio::test(start_paused = true)]
    async fn only_the_named_secret_is_read_and_its_completion_triggers_the_site() {
        let world = World::with(shop("{host: a.example.com, login: login}")).await;
        world.cluster.seed(LOGIN).await.unwrap();
        let dns = Dns::default();
        let _running = world.run(Operator::new("cookbook").reconciler::<sites>(dns.clone()));
        let message = world.shows("Ready", "False LoginIncomplete").await;
        assert!(message.ends_with("it has no key `token`"), "{message}");
        world.change::<Secret>("login", json!({ "stringData": { "token": "s3cr3t" } })).await;
        pass(1).await;
        assert!(dns.has("a.example.com"));
        let lists = world.cluster.log().requests().resource("secrets").reads();
        lists.filter(|entry| entry.verb != Verb::Get && !entry.query.contains("metadata.name%3Dlogin")).assert_none();
        let site = serde_json::to_string(&world.api::<Site>().get("shop").await.unwrap()).unwrap();
        assert!(!site.contains("s3cr3t") && !site.contains("hunter2"), "{site}");
    }
}
