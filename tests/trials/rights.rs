//! Each RBAC rule that the operator needs is taken away once, while objects change, and given back.

use std::time::Duration;

use evenkeel_tests::real::Version;
use evenkeel_tests::trial::long;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::operator::operator;
use crate::yard::Yard;

/// Who the operator is where rules are checked.
const USER: &str = "system:serviceaccount:default:trial";

/// One rule at a time, verb by verb; in the short form each third.
pub async fn each_rule_is_taken_away_once() {
    let Some(yard) = Yard::open(Version::Full, Some(USER)).await else { return };
    let rules = rules();
    allow(&yard.client, &rules).await;
    yard.create(20).await;
    yard.start(&[]);
    yard.settle("all rules").await;
    for at in (0..rules.len()).step_by(if long() { 1 } else { 3 }) {
        let mut others = rules.clone();
        let missing = others.remove(at);
        allow(&yard.client, &others).await;
        // A watch that is open goes on without the rule: half of them meet it at the start.
        if at % 2 == 0 {
            yard.kill();
            yard.start(&[]);
        }
        tokio::join!(sleep(Duration::from_secs(2)), yard.change(10));
        allow(&yard.client, &rules).await;
        yard.settle(&format!("without {missing}")).await;
    }
    yard.close().await;
}

/// One for each verb.
fn rules() -> Vec<Value> {
    let operator = operator("unused".into());
    let each = operator.rights().into_iter().flat_map(|right| {
        let (group, resource) = (right.group.clone(), right.resource.clone());
        let verbs: Vec<_> = right.verbs.iter().map(|verb| verb.as_str().to_owned()).collect();
        verbs.into_iter().map(move |verb| json!({ "apiGroups": [group], "resources": [resource], "verbs": [verb] }))
    });
    each.collect()
}

async fn allow(client: &Client, rules: &[Value]) {
    let params = PatchParams::apply("trial").force();
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "trial" }, "rules": rules });
    let bound = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": { "name": "trial" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "trial" },
        "subjects": [{ "kind": "User", "name": USER, "apiGroup": "rbac.authorization.k8s.io" }] });
    Api::<ClusterRole>::all(client.clone()).patch("trial", &params, &Patch::Apply(&role)).await.unwrap();
    Api::<ClusterRoleBinding>::all(client.clone()).patch("trial", &params, &Patch::Apply(&bound)).await.unwrap();
}
