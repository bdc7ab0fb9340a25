//! The CRD of cats, which are stored in v1 and served in v2, too, with its conversion webhook.

use std::future::Future;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually};
use crate::env::{Answer, CRDS, Env};
use crate::webhook_server::{Reply, Webhook};

/// The CRD of cats with its conversion webhook.
pub(crate) struct Cats<'a> {
    env: &'a Env,
    pub(crate) hooks: Webhook,
}

pub(crate) fn crd(env: &Env, conversion: &Value) -> Value {
    let version = |field: &str, most: u8| {
        json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                field: {"type": "integer", "maximum": most}, "n": {"type": "integer", "default": 1}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}, "n": {"type": "integer"}}}}})
    };
    let subresources =
        json!({"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}});
    let mut crd = Env::definition(&env.group(), "Cat", &version("size", 5), &subresources);
    let mut newer = crd["spec"]["versions"][0].clone();
    newer["name"] = json!("v2");
    newer["storage"] = json!(false);
    newer["schema"]["openAPIV3Schema"] = version("length", 9);
    crd["spec"]["versions"] = json!([crd["spec"]["versions"][0], newer]);
    crd["spec"]["conversion"] = conversion.clone();
    crd
}

pub(crate) fn webhook(client: &Value) -> Value {
    json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}})
}

/// A path below the cats in the namespace of this rule.
pub(crate) fn path(env: &Env, version: &str, rest: &str) -> String {
    format!("/apis/{}/{version}/namespaces/{}/cats{rest}", env.group(), env.namespace)
}

pub(crate) fn cat(env: &Env, version: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{}/{version}", env.group()), "kind": "Cat", "metadata": {"name": name}, "spec": spec})
}

impl<'a> Cats<'a> {
    async fn start(env: &'a Env) -> Result<Self, Broken> {
        let hooks = Webhook::start().await?;
        env.define(&crd(env, &webhook(&hooks.client("convert")))).await?;
        let cats = Cats { env, hooks };
        let served = || async { Ok((env.get(&cats.path("v2", "")).await?.status == 200).then_some(())) };
        eventually("the second version is served", served).await?;
        Ok(cats)
    }

    pub(crate) fn path(&self, version: &str, rest: &str) -> String {
        path(self.env, version, rest)
    }

    pub(crate) fn crd_path(&self) -> String {
        format!("{CRDS}/cats.{}", self.env.group())
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads as a sentence with json!")]
    pub(crate) fn cat(&self, version: &str, name: &str, spec: Value) -> Value {
        cat(self.env, version, name, &spec)
    }

    pub(crate) async fn create(&self, version: &str, name: &str, spec: Value) -> Result<Answer, Broken> {
        self.env.post(&self.path(version, ""), &self.cat(version, name, spec)).await
    }

    pub(crate) async fn spec(&self, version: &str, name: &str) -> Result<Value, Broken> {
        Ok(self.env.get(&self.path(version, &format!("/{name}"))).await?.is(200)?.body["spec"].clone())
    }

    pub(crate) fn script(&self, script: Value) {
        self.hooks.reply("convert", Reply::Converted(script));
    }

    /// Deletes the CRD while its webhook still answers: a real cluster collects no garbage as long as a conversion fails.
    async fn end(&self) -> Verdict {
        self.script(json!({}));
        let path = self.crd_path();
        self.env.send("DELETE", &path, "", "").await?;
        let gone = || async { Ok((self.env.get(&path).await?.status == 404).then_some(())) };
        eventually("the CRD is deleted", gone).await
    }
}

/// Checks a rule with cats.
pub(crate) async fn with_cats<'a, F: Future<Output = Verdict>>(
    env: &'a Env,
    check: impl FnOnce(Arc<Cats<'a>>) -> F,
) -> Verdict {
    let cats = Arc::new(Cats::start(env).await?);
    let verdict = check(Arc::clone(&cats)).await;
    let ended = cats.end().await;
    verdict.and(ended)
}
