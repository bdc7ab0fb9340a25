//! Conversion of CRDs: the way back to strategy None, if another manager has set `caBundle` by a JSON patch.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, same};
use crate::conversion_server::{crd, webhook};
use crate::env::{Answer, CRDS, Env, text};
use crate::rule::rules;
use crate::webhook_server::Webhook;

rules![a_replaced_conversion_loses_the_ca_bundle, a_ca_bundle_of_another_manager_blocks_strategy_none];

const CONVERSION: &str = "/spec/conversion";

/// A CRD whose conversion webhook has a `caBundle` of another manager.
struct Crd<'a> {
    env: &'a Env,
    path: String,
}

impl Crd<'_> {
    async fn apply(&self, conversion: &Value, query: &str) -> Result<Answer, Broken> {
        let path = format!("{}?fieldManager=author{query}", self.path);
        self.env.send("PATCH", &path, "application/apply-patch+yaml", &crd(self.env, conversion).to_string()).await
    }
}

async fn with_bundle(env: &Env) -> Result<Crd<'_>, Broken> {
    let found = Crd { env, path: format!("{CRDS}/cats.{}", env.group()) };
    let service = json!({"namespace": "default", "name": "cats", "path": "/convert"});
    found.apply(&webhook(&json!({"service": service})), "").await?.is(201)?;
    let bundle = &Webhook::start().await?.client("convert")["caBundle"];
    let patch = json!([{"op": "add", "path": format!("{CONVERSION}/webhook/clientConfig/caBundle"), "value": bundle}]);
    env.json_patch(&format!("{}?fieldManager=operator", found.path), &patch).await?.is(200)?;
    Ok(found)
}

fn is_none(answer: &Answer) -> Verdict {
    same("conversion", &answer.body["spec"]["conversion"], &json!({"strategy": "None"}))
}

async fn a_replaced_conversion_loses_the_ca_bundle(env: &Env) -> Verdict {
    let found = with_bundle(env).await?;
    let dry = format!("{}?dryRun=All", found.path);
    // The controllers of a new CRD write its status, so a version that was read may be an old one.
    let update = || async {
        let mut sent = crd(env, &json!({"strategy": "None"}));
        sent["metadata"]["resourceVersion"] = json!(env.get(&found.path).await?.is(200)?.version());
        let answer = env.put(&dry, &sent).await?;
        if answer.status == 409 { Ok(None) } else { answer.is(200).map(Some) }
    };
    is_none(&eventually("the CRD is updated", update).await?)?;
    // This is how a client-side apply removes the member.
    let removed = json!({"spec": {"conversion": {"strategy": "None", "webhook": null}}});
    is_none(&env.merge(&dry, &removed).await?.is(200)?)?;
    let replaced = json!([{"op": "replace", "path": CONVERSION, "value": {"strategy": "None"}}]);
    is_none(&env.json_patch(&dry, &replaced).await?.is(200)?)
}

async fn a_ca_bundle_of_another_manager_blocks_strategy_none(env: &Env) -> Verdict {
    let found = with_bundle(env).await?;
    let none = json!({"strategy": "None"});
    let kept = env.merge(&found.path, &json!({"spec": {"conversion": none}})).await?.refuses(422, "Invalid")?;
    let (client, versions) = ("spec.conversion.webhookClientConfig", "spec.conversion.conversionReviewVersions");
    same("fields of the merge patch", kept.fields(), [versions, client])?;
    for query in ["", "&force=true"] {
        let refused = found.apply(&none, query).await?.refuses(422, "Invalid")?;
        same("fields of the apply", refused.fields(), [client])?;
        let why = format!("{client}: Forbidden: should not be set when strategy is not set to Webhook");
        let name = format!("CustomResourceDefinition.apiextensions.k8s.io \"cats.{}\"", env.group());
        same("message", text(&refused.body["message"]), format!("{name} is invalid: {why}"))?;
    }
    let replaced = json!([{"op": "replace", "path": CONVERSION, "value": none}]);
    is_none(&env.json_patch(&format!("{}?fieldManager=operator", found.path), &replaced).await?.is(200)?)?;
    is_none(&found.apply(&none, "").await?.is(200)?)
}
