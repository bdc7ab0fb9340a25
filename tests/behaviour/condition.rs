//! Bipolar conditions, further summaries, and conditions that mirror other objects.

use evenkeel::prelude::*;
use evenkeel::wiring::{StepWiring, Wiring};
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::{condition, is_ready, status_of};
use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Vault", namespaced, status = "VaultStatus")]
#[serde(rename_all = "camelCase", default)]
struct VaultSpec {
    /// What the check finds: nothing unless set; `good`, `bad`, `error`.
    check: Option<String>,
    /// Other vaults that this one is filled from.
    sources: Vec<String>,
    /// The first of them is shown by itself.
    mirror: bool,
}

#[evenkeel::status]
struct VaultStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on, summary(Available(Verified, Opened)))]
enum VaultCondition {
    /// The vaults that this one is filled from are ready.
    #[condition(positive)]
    SourcesReady,
    /// The seal was looked at.
    #[condition(bipolar, reasons(Sealed = "The seal is whole", Tampered = "The seal is broken", Unreadable))]
    Verified,
    /// The vault is open.
    #[condition(positive)]
    Opened,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum VaultError {
    #[error("the seal cannot be read")]
    #[class(transient)]
    Unreadable,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum SourceError {
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::SourcesReady), reads(Vault))]
async fn look(vault: &Vault, cx: &mut Cx) -> Result<(), SourceError> {
    let mut sources = Vec::new();
    for name in &vault.spec.sources {
        sources.extend(cx.get::<Vault>(name).await?);
    }
    match sources.first().filter(|_| vault.spec.mirror) {
        Some(first) => cx.mirror(on::SourcesReady, first),
        None => cx.aggregate(on::SourcesReady, &sources),
    }
    Ok(())
}

#[sub_reconciler(sets(on::Verified))]
async fn verify(vault: &Vault, cx: &mut Cx) -> Result<(), VaultError> {
    match vault.spec.check.as_deref() {
        Some("good") => cx.set(on::Verified, ConditionStatus::True, "Sealed", "the seal is whole"),
        Some("bad") => cx.set(on::Verified, ConditionStatus::False, "Tampered", "the seal is broken"),
        Some(_) => return Err(VaultError::Unreadable),
        None => {}
    }
    Ok(())
}

#[sub_reconciler(sets(on::Opened))]
async fn open(_vault: &Vault, _cx: &mut Cx) -> Result<(), VaultError> {
    Ok(())
}

#[reconciler(conditions = VaultCondition)]
async fn vault(vault: &Vault, cx: &mut Pass<'_>) -> PassResult {
    look(vault, cx).await?;
    verify(vault, cx).await?;
    open(vault, cx).await?;
    Ok(())
}

#[test]
fn an_unused_declared_reason_is_reported() {
    let wiring = <vault as evenkeel::Reconciler>::WIRING;
    assert_eq!(wiring.unused_reasons(), [], "all three of Verified are used, one by the error");
    assert_eq!(wiring.conditions[1].reasons[1].doc, "The seal is broken");
    let silent: Vec<_> = wiring.steps.iter().map(|step| StepWiring { reasons: &[], ..*step }).collect();
    let wiring = Wiring { steps: silent.leak(), ..wiring };
    let unsaid: Vec<_> = wiring.unused_reasons().iter().map(|unsaid| unsaid.reason).collect();
    assert_eq!(unsaid, ["Sealed", "Tampered"]);
}

#[allow(clippy::needless_pass_by_value, reason = "json! reads best where it is used")]
fn a_vault(name: &str, spec: Value) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Vault", "metadata": { "name": name }, "spec": spec })
}

fn field_of<'v>(object: &'v Value, type_: &str, key: &str) -> &'v str {
    condition(object, type_).and_then(|c| c[key].as_str()).unwrap_or_default()
}

async fn a_bipolar_condition_is_absent_until_its_step_runs(world: World) -> World {
    world.install(&Vault::crd()).await;
    let operator = world.operator::<vault>(());
    world.create::<Vault>(a_vault("v", json!({}))).await;
    let silent = world.until::<Vault>("v", "ready", is_ready).await;
    assert_eq!(condition(&silent, "Verified"), None, "absent is not unknown");
    world.merge::<Vault>("v", json!({ "spec": { "check": "bad" } })).await;
    let bad = world.until::<Vault>("v", "bad", |v| status_of(v, "Verified") == "False").await;
    assert_eq!((&*status_of(&bad, "Ready"), field_of(&bad, "Ready", "reason")), ("False", "Tampered"));
    world.merge::<Vault>("v", json!({ "spec": { "check": "error" } })).await;
    let failed = world.until::<Vault>("v", "failed", |v| field_of(v, "Verified", "reason") == "Unreadable").await;
    assert_eq!(status_of(&failed, "Verified"), "False");
    world.merge::<Vault>("v", json!({ "spec": { "check": "good" } })).await;
    let good = world.until::<Vault>("v", "good", is_ready).await;
    assert_eq!(field_of(&good, "Verified", "reason"), "Sealed");
    world.merge::<Vault>("v", json!({ "spec": { "check": null } })).await;
    let quiet = world.until::<Vault>("v", "ready again", |v| is_ready(v) && condition(v, "Verified").is_none()).await;
    assert_eq!(status_of(&quiet, "Available"), "True");
    operator.stop().await.unwrap();
    world
}

async fn a_second_summary_covers_only_its_conditions(world: World) -> World {
    world.install(&Vault::crd()).await;
    let operator = world.operator::<vault>(());
    world.create::<Vault>(a_vault("bad", json!({ "check": "bad" }))).await;
    let bad = world.until::<Vault>("bad", "bad", |v| status_of(v, "Verified") == "False").await;
    assert_eq!((&*status_of(&bad, "Available"), field_of(&bad, "Available", "reason")), ("False", "Tampered"));
    world.create::<Vault>(a_vault("v", json!({ "sources": ["bad"] }))).await;
    let waiting = world.until::<Vault>("v", "not ready", |v| status_of(v, "SourcesReady") == "False").await;
    assert_eq!((&*status_of(&waiting, "Ready"), &*status_of(&waiting, "Available")), ("False", "True"));
    operator.stop().await.unwrap();
    world
}

async fn a_condition_mirrors_other_objects(world: World) -> World {
    world.install(&Vault::crd()).await;
    let operator = world.operator::<vault>(());
    world.create::<Vault>(a_vault("good", json!({}))).await;
    world.create::<Vault>(a_vault("bad", json!({ "check": "bad" }))).await;
    world.until::<Vault>("good", "ready", is_ready).await;
    world.until::<Vault>("bad", "bad", |v| status_of(v, "Ready") == "False").await;
    world.create::<Vault>(a_vault("all", json!({ "sources": ["good", "bad"] }))).await;
    let all = world.until::<Vault>("all", "not ready", |v| status_of(v, "SourcesReady") == "False").await;
    assert_eq!(field_of(&all, "SourcesReady", "message"), "1 of 2 ready; Vault/bad: the seal is broken");
    assert_eq!(field_of(&all, "SourcesReady", "reason"), "Tampered");
    world.create::<Vault>(a_vault("one", json!({ "sources": ["bad"], "mirror": true }))).await;
    let one = world.until::<Vault>("one", "not ready", |v| status_of(v, "SourcesReady") == "False").await;
    assert_eq!(field_of(&one, "SourcesReady", "message"), "the seal is broken");
    operator.stop().await.unwrap();
    world
}

on_each_server!(
    a_bipolar_condition_is_absent_until_its_step_runs,
    a_second_summary_covers_only_its_conditions,
    a_condition_mirrors_other_objects,
);

#[tokio::test(start_paused = true)]
async fn conditions_converge_after_any_fault() {
    from_everywhere(&Vault::crd(), async |stage| {
        stage.operate::<vault>(());
        stage.create::<Vault>(a_vault("good", json!({ "check": "good" }))).await;
        stage.create::<Vault>(a_vault("bad", json!({ "check": "bad" }))).await;
        stage.rest().await;
        stage.create::<Vault>(a_vault("all", json!({ "sources": ["good", "bad"] }))).await;
        stage.create::<Vault>(a_vault("one", json!({ "sources": ["bad"], "mirror": true }))).await;
        stage.rest().await;
        // A failed read may have just started its longest pause.
        for _ in 0..3 {
            if field_of(&stage.raw::<Vault>("one").await, "SourcesReady", "message") != "the seal is broken" {
                stage.rest().await;
            }
        }
        assert_eq!(field_of(&stage.raw::<Vault>("one").await, "SourcesReady", "message"), "the seal is broken");
        stage.merge::<Vault>("bad", json!({ "spec": { "check": null } })).await;
        stage.rest().await;
        // Nothing triggers a step that only reads.
        for name in ["all", "one"] {
            let look = json!({ "metadata": { "annotations": { "evenkeel.dev/requestedAt": "now" } } });
            stage.merge::<Vault>(name, look).await;
        }
        stage.rest().await;
        for name in ["good", "bad", "all", "one"] {
            assert!(is_ready(&stage.raw::<Vault>(name).await), "{name}");
        }
    })
    .await;
}
