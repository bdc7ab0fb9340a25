//! Copies a Secret into the namespaces that it names: a reconciler of a built-in kind with objects in other namespaces.
//!
//! `cargo run -p examples --bin copier -- --once` copies one Secret on an API server in this process. In a cluster, `copier --config copier.yaml`
//! puts the labels of the file on the copies, such as `settings: {labels: {team: web}}`, and on all of them again when the file changes.
#![allow(missing_docs, unreachable_pub, reason = "it shows the shortest way, in a program of one file")]

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use evenkeel::{Bare, Live};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, ObjectMeta};
use kube::{Resource, ResourceExt};
use serde::Deserialize;

const OBJECTS: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: copies}}
---
apiVersion: v1
kind: Secret
metadata: {name: login, labels: {demo.evenkeel.dev/copied: 'yes'}, annotations: {demo.evenkeel.dev/copy-to: copies}}
stringData: {user: alice}
";

/// The section `settings` of the file of `--config`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The labels of the copies.
    labels: BTreeMap<String, String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum CopyCondition {
    /// Each namespace has a copy.
    #[condition(positive)]
    Copied,
}

#[sub_reconciler(sets(on::Copied), owns(Secret, namespaces = any))]
pub async fn copy(secret: &Bare<Secret>, settings: &Live<Settings>, cx: &mut Cx) -> Result<(), ApiError> {
    let namespaces = secret.annotations().get("demo.evenkeel.dev/copy-to").map_or("", String::as_str);
    let namespaces: Vec<&str> = namespaces.split(',').filter(|namespace| !namespace.is_empty()).collect();
    for namespace in &namespaces {
        let labels = Some(settings.now().labels.clone());
        let metadata = ObjectMeta { name: secret.meta().name.clone(), labels, ..ObjectMeta::default() };
        cx.apply_in(namespace, &Secret { metadata, data: secret.data.clone(), ..Secret::default() }).await?;
    }
    for copy in cx.owned_anywhere::<Secret>().await? {
        let namespace = copy.namespace.unwrap_or_default();
        if !namespaces.contains(&&*namespace) {
            cx.delete_in::<Secret>(&namespace, &copy.name).await?;
        }
    }
    Ok(())
}

#[reconciler(conditions = CopyCondition, labels = "demo.evenkeel.dev/copied=yes")]
pub async fn copier(secret: &Bare<Secret>, settings: &Live<Settings>, cx: &mut Pass<'_>) -> PassResult {
    copy(secret, settings, cx).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Live::<Settings>::default();
    let operator = Operator::new("copier").settings(&settings).reconciler::<copier>(settings);
    examples::once::main(operator, OBJECTS, async |client| {
        let copy = Api::<Secret>::namespaced(client.clone(), "copies").get_opt("login").await?;
        Ok(copy.map(|copy| format!("secret {} was copied to the namespace copies", copy.name_any())))
    })
    .await
}
