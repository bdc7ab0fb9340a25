//! Waits: what ends them, and how they differ from retries.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::{Arc, Mutex};

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, World};
use evenkeel_tests::widget::{is_ready, message, reason};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Patch, PatchParams};
use kube::{Api, CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde_json::{Value, json};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Tenant", namespaced, status = "TenantStatus")]
pub(crate) struct TenantSpec {
    /// A Secret that has to hold a token.
    pub secret: Option<String>,
    /// Another tenant, which has to have a level.
    pub base: Option<String>,
    /// What goes wrong: `poll`, `postpone`, `broken`.
    pub act: Option<String>,
}

#[evenkeel::status]
pub(crate) struct TenantStatus {
    /// What somebody else decides.
    pub level: Option<i64>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum TenantCondition {
    /// It can log in.
    #[condition(positive)]
    LoggedIn,
    /// Its base is there, with a level. That is the level of both.
    #[condition(positive)]
    Based,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum TenantError {
    #[error(transparent)]
    #[class(waiting)]
    SecretMissing(#[from] Absent<Secret>),
    #[error(transparent)]
    #[class(waiting)]
    SecretIncomplete(#[from] Unfit<Secret>),
    #[error(transparent)]
    #[class(waiting)]
    BaseMissing(#[from] Absent<Tenant>),
    #[error(transparent)]
    #[class(waiting)]
    BaseWithoutLevel(#[from] Unfit<Tenant>),
    #[error("not yet")]
    #[class(waiting(poll = "30m"))]
    NotYet,
    #[error("busy")]
    #[class(waiting(poll = "1s"))]
    Busy,
    #[error("postponed")]
    #[class(waiting(poll = requeue))]
    Postponed,
    #[error("out of order")]
    #[class(transient, retry = "very-slow")]
    Broken,
}

/// The state shared between the test and the steps.
#[derive(Default)]
struct Desk {
    passes: Mutex<usize>,
    /// The behaviour of the cleanup: nothing, `wait` or `panic`.
    close: Mutex<&'static str>,
}

impl Desk {
    fn passes(&self) -> usize {
        *self.passes.lock().unwrap()
    }
}

#[sub_reconciler(sets(on::LoggedIn), external, watches(Secret, by_name))]
async fn login(tenant: &Tenant, desk: &Arc<Desk>, cx: &mut Cx) -> Result<(), TenantError> {
    *desk.passes.lock().unwrap() += 1;
    match tenant.spec.act.as_deref() {
        Some("poll") => return Err(TenantError::NotYet),
        Some("postpone") => return Err(TenantError::Postponed),
        Some("broken") => return Err(TenantError::Broken),
        _ => {}
    }
    let Some(name) = &tenant.spec.secret else { return Ok(()) };
    let secret = cx.require::<Secret>(name).await?;
    let token = secret.data.as_ref().and_then(|data| data.get("token"));
    token.ok_or_else(|| cx.unfit(&secret, "the key `token` is missing"))?;
    Ok(())
}

#[cleanup(of = login)]
async fn close(_tenant: &Tenant, desk: &Arc<Desk>, _cx: &mut Cx<'_, login>) -> Result<(), TenantError> {
    let act = *desk.close.lock().unwrap();
    match act {
        "wait" => Err(TenantError::Busy),
        "panic" => panic!("as the test wished"),
        _ => Ok(()),
    }
}

#[sub_reconciler(sets(on::Based), watches(Tenant, by_name))]
async fn build(tenant: &Tenant, cx: &mut Cx) -> Result<(), TenantError> {
    let Some(name) = &tenant.spec.base else { return Ok(()) };
    let base = cx.require::<Tenant>(name).await?;
    let level = base.status.as_ref().and_then(|status| status.level);
    level.ok_or_else(|| cx.unfit(&base, "status.level is not set"))?;
    Ok(())
}

#[reconciler(conditions = TenantCondition)]
async fn tenant(tenant: &Tenant, desk: &Arc<Desk>, cx: &mut Pass<'_>) -> PassResult {
    login(tenant, desk, cx).await?;
    build(tenant, cx).await?;
    Ok(())
}

fn a_tenant(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Tenant", "metadata": { "name": name }, "spec": spec })
}

async fn start(world: &World) -> (Arc<Desk>, Running) {
    world.install(&Tenant::crd()).await;
    let desk = Arc::<Desk>::default();
    (desk.clone(), world.operator::<tenant>(desk))
}

async fn until_passes(desk: &Desk, more_than: usize) {
    eventually(SOON, || async { (desk.passes() > more_than).then_some(()) }).await;
}

async fn every_change_of_an_awaited_object_triggers(world: World) -> World {
    let (desk, operator) = start(&world).await;
    world.create::<Tenant>(a_tenant("t", &json!({ "secret": "s" }))).await;
    let missing = world.until::<Tenant>("t", "missing", |t| reason(t, "Ready") == "SecretMissing").await;
    assert_eq!(message(&missing, "Ready"), "Secret \"s\" does not exist yet");
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" } });
    world.create::<Secret>(secret).await;
    let lacks = world.until::<Tenant>("t", "incomplete", |t| reason(t, "Ready") == "SecretIncomplete").await;
    assert_eq!(message(&lacks, "Ready"), "Secret \"s\" cannot be used yet: the key `token` is missing");
    let before = desk.passes();
    world.merge::<Secret>("s", json!({ "data": { "other": "MQ==" } })).await;
    until_passes(&desk, before).await;
    world.quiet().await;
    let before = desk.passes();
    world.quiet().await;
    assert_eq!(desk.passes(), before, "no time ends this wait");
    world.merge::<Secret>("s", json!({ "data": { "token": "MQ==" } })).await;
    world.until::<Tenant>("t", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn a_status_change_alone_ends_a_wait(world: World) -> World {
    let (_, operator) = start(&world).await;
    world.create::<Tenant>(a_tenant("base", &json!({}))).await;
    world.until::<Tenant>("base", "ready", is_ready).await;
    world.create::<Tenant>(a_tenant("t", &json!({ "base": "base" }))).await;
    let waits = world.until::<Tenant>("t", "waiting", |t| reason(t, "Based") == "BaseWithoutLevel").await;
    assert_eq!(message(&waits, "Based"), "Tenant \"base\" cannot be used yet: status.level is not set");
    let api: Api<Tenant> = world.api();
    let level = Patch::Merge(json!({ "status": { "level": 3 } }));
    api.patch_status("base", &PatchParams::default(), &level).await.unwrap();
    world.until::<Tenant>("t", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}

async fn reconciling_distinguishes_watched_from_polled_waits(world: World) -> World {
    let (_, operator) = start(&world).await;
    for (name, spec, failed, wanted) in [
        ("absent", json!({ "secret": "none" }), "SecretMissing", "Progressing"),
        ("base", json!({ "base": "absent" }), "BaseWithoutLevel", "Progressing"),
        ("poll", json!({ "act": "poll" }), "NotYet", "ProgressingWithRetry"),
        ("postpone", json!({ "act": "postpone" }), "Postponed", "ProgressingWithRetry"),
        ("broken", json!({ "act": "broken" }), "Broken", "ProgressingWithRetry"),
    ] {
        world.create::<Tenant>(a_tenant(name, &spec)).await;
        let object = world.until::<Tenant>(name, failed, |t| reason(t, "Ready") == failed).await;
        assert_eq!(reason(&object, "Reconciling"), wanted, "{object:#}");
    }
    operator.stop().await.unwrap();
    world
}

async fn cleanup_outcomes_name_the_cleanup(world: World) -> World {
    let (desk, operator) = start(&world).await;
    world.create::<Tenant>(a_tenant("t", &json!({}))).await;
    world.until::<Tenant>("t", "ready", is_ready).await;
    *desk.close.lock().unwrap() = "wait";
    world.delete::<Tenant>("t").await;
    let waits = world.until::<Tenant>("t", "waiting", |t| reason(t, "LoggedIn") == "Busy").await;
    assert_eq!(message(&waits, "Reconciling"), "waiting in the cleanup close");
    assert_eq!(reason(&waits, "Reconciling"), "ProgressingWithRetry");
    *desk.close.lock().unwrap() = "panic";
    let failed = world.until::<Tenant>("t", "failed", |t| reason(t, "LoggedIn") == "Panicked").await;
    assert_eq!(message(&failed, "LoggedIn"), "cleanup close panicked: as the test wished");
    assert_eq!(message(&failed, "Reconciling"), "retrying the cleanup close");
    *desk.close.lock().unwrap() = "";
    world.until_gone::<Tenant>("t").await;
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    every_change_of_an_awaited_object_triggers,
    a_status_change_alone_ends_a_wait,
    reconciling_distinguishes_watched_from_polled_waits,
    cleanup_outcomes_name_the_cleanup,
);
