//! `cx.commit` stores its fields in the status before it returns, in each call, so that no crash loses them.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::recording_client::Call;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde_json::{Value, json};
use tokio::time::sleep;

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Account", namespaced, status = "AccountStatus")]
pub(crate) struct AccountSpec {
    /// What may be read and written.
    pub grants: Vec<String>,
}

#[evenkeel::status]
pub(crate) struct AccountStatus {
    /// The id of the login.
    pub login: Option<String>,
    /// The id of the password.
    pub password: Option<String>,
    /// The grants that were asked for.
    #[serde(default)]
    pub granted: Vec<String>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum AccountCondition {
    /// It can log in.
    #[condition(positive)]
    Opened,
    /// It can read and write.
    #[condition(positive)]
    Granted,
}

/// The point at which the operator stops for ever; the test crashes it there.
#[derive(Clone, Copy, PartialEq)]
enum Stop {
    Nowhere,
    InOpen,
    AtGrant(&'static str),
}

#[sub_reconciler(sets(on::Opened))]
async fn open(_account: &Account, stop: &Arc<Stop>, cx: &mut Cx) -> Result<(), ApiError> {
    cx.status().login = Some("login-1".into());
    cx.commit().await?;
    cx.status().password = Some("password-1".into());
    cx.commit().await?;
    if **stop == Stop::InOpen {
        pending::<()>().await;
    }
    Ok(())
}

#[sub_reconciler(sets(on::Granted))]
async fn grant(_account: &Account, stop: &Arc<Stop>, what: &String, cx: &mut Cx) -> Result<(), ApiError> {
    if !cx.status().granted.contains(what) {
        cx.status().granted.push(what.clone());
        cx.commit().await?;
    }
    if **stop == Stop::AtGrant("write") && what == "write" {
        pending::<()>().await;
    }
    Ok(())
}

#[reconciler(conditions = AccountCondition)]
async fn account(account: &Account, stop: &Arc<Stop>, cx: &mut Pass<'_>) -> PassResult {
    open(account, stop, cx).await?;
    for what in &account.spec.grants {
        grant(account, stop, what, cx).await?;
    }
    Ok(())
}

fn an_account() -> Value {
    let spec = json!({ "grants": ["read", "write"] });
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Account", "metadata": { "name": "a" }, "spec": spec })
}

async fn a_crash_loses_no_committed_field(world: World) -> World {
    world.install(&Account::crd()).await;
    let operator = world.operator::<account>(Arc::new(Stop::InOpen));
    world.create::<Account>(an_account()).await;
    let stored = |a: &Value| a["status"]["login"] == "login-1" && a["status"]["password"] == "password-1";
    world.until::<Account>("a", "both ids", stored).await;
    operator.crash().await;
    assert!(stored(&world.raw::<Account>("a").await));
    world
}

async fn each_item_of_a_loop_records(world: World) -> World {
    world.install(&Account::crd()).await;
    let operator = world.operator::<account>(Arc::new(Stop::AtGrant("write")));
    world.create::<Account>(an_account()).await;
    world.until::<Account>("a", "both grants", |a| a["status"]["granted"] == json!(["read", "write"])).await;
    operator.crash().await;
    world
}

async fn a_record_that_changes_nothing_writes_nothing(world: World) -> World {
    world.install(&Account::crd()).await;
    let operator = world.operator::<account>(Arc::new(Stop::Nowhere));
    world.create::<Account>(an_account()).await;
    world.until::<Account>("a", "ready", is_ready).await;
    // Two ids, two grants, and the outcome.
    assert_eq!(world.wire.count(Call::is_status_write), 5, "{:#?}", world.wire.calls());
    world.wire.clear();
    world
        .merge::<Account>("a", json!({ "metadata": { "labels": { "team": "b" } }, "spec": { "grants": ["read"] } }))
        .await;
    let again = |a: &Value| a["status"]["observedGeneration"] == 2 && is_ready(a);
    world.until::<Account>("a", "ready again", again).await;
    // The outcome; the ids are stored already.
    assert_eq!(world.wire.count(Call::is_status_write), 1, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn a_waiting_object_records_nothing_that_is_stored() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<widget>(lab.clone());
    world.create::<Widget>(a_widget("a", json!({ "record": true, "store": "poll" }))).await;
    world.until::<Widget>("a", "waiting", |a| a["status"]["fetched"] == "a").await;
    sleep(Duration::from_secs(60)).await;
    world.wire.clear();
    let before = lab.passes();
    sleep(Duration::from_secs(3600)).await;
    assert!(lab.passes() > before + 10, "it looks again");
    assert_eq!(world.writes(), 0, "{:#?}", world.wire.calls());
    operator.stop().await.unwrap();
}

on_each_server!(
    a_crash_loses_no_committed_field,
    each_item_of_a_loop_records,
    a_record_that_changes_nothing_writes_nothing,
);
