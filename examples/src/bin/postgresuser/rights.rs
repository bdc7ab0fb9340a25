//! The roles of the operator are what it needs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use evenkeel_testkit::{Scene, eventually, is_ready, rights, until};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::behaviour::{host, shown};
use crate::operator::{PostgresUser, operator};
use crate::password;

const LONG: Duration = Duration::from_secs(1_200);

/// A user is created, gets another password and another Secret, loses that Secret, is only observed for a while, and is deleted.
async fn a_life(scene: Scene) {
    // A role stays if the operator lacks a rule, and a later run must not find it.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let role = format!("granted_{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let users: Api<PostgresUser> = Api::default_namespaced(scene.client());
    let secrets: Api<Secret> = Api::default_namespaced(scene.client());
    let user: PostgresUser =
        serde_json::from_value(json!({ "apiVersion": "sql.evenkeel.dev/v1", "kind": "PostgresUser",
        "metadata": { "name": "u" }, "spec": { "database": "postgres", "role": role } }))
        .unwrap();
    users.create(&PostParams::default(), &user).await.unwrap();
    until(&users, "u", LONG, is_ready).await;
    let merge = async |patch: Value| {
        users.patch("u", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    };
    let password = async |secret: &str| secrets.get_opt(secret).await.unwrap().as_ref().and_then(password::of);
    let first = password("u-postgres").await;
    merge(json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "1", "evenkeel.dev/rotateAt": "1" } } }))
        .await;
    eventually(LONG, || async { (password("u-postgres").await != first).then_some(()) }).await;
    merge(json!({ "spec": { "secret": "moved", "privileges": ["Create"] } })).await;
    eventually(LONG, || async { password("moved").await }).await;
    until(&users, "u", LONG, is_ready).await;
    secrets.delete("moved", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { password("moved").await }).await;
    for policy in ["skip", "manage"] {
        merge(json!({ "metadata": { "annotations": { "evenkeel.dev/policy": policy } } })).await;
        until(&users, "u", LONG, |user| is_ready(user) && shown(user) == policy).await;
    }
    users.delete("u", &DeleteParams::default()).await.unwrap();
    eventually(LONG, || async { users.get_opt("u").await.unwrap().is_none().then_some(()) }).await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    let Some(host) = host() else { return };
    rights(|| operator(host.database().unwrap())).scenario("a life", a_life).prove().await;
}
