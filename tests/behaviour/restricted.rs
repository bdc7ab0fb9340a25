//! A restricted status field: one step writes it, others read it, and it is stored like any other field.

use evenkeel::prelude::*;
use evenkeel_tests::on_each_server;
use evenkeel_tests::sweep::from_everywhere;
use evenkeel_tests::test_env::World;
use evenkeel_tests::widget::is_ready;
use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, JsonSchema, Clone, Debug, Default, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Ledger", namespaced, status = "LedgerStatus")]
#[serde(rename_all = "camelCase", default)]
struct LedgerSpec {
    /// What the book is to say; nothing closes it.
    line: Option<String>,
}

#[evenkeel::status]
struct LedgerStatus {
    #[status(step = enter)]
    last_line: Option<String>,
    #[status(step = enter)]
    lines: Vec<String>,
    length: Option<usize>,
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum LedgerCondition {
    /// The line stands in the book.
    #[condition(positive)]
    Entered,
    /// The lines were counted.
    #[condition(positive)]
    Counted,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum LedgerError {
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] ApiError),
}

#[sub_reconciler(sets(on::Entered))]
async fn enter(ledger: &Ledger, cx: &mut Cx) -> Result<(), LedgerError> {
    let line = ledger.spec.line.clone();
    if cx.status().last_line != line {
        cx.write(|status| &mut status.lines).extend(line.clone());
        *cx.write(|status| &mut status.last_line) = line;
        cx.commit().await?;
    }
    Ok(())
}

#[sub_reconciler(sets(on::Counted))]
async fn count(_ledger: &Ledger, cx: &mut Cx) -> Result<(), LedgerError> {
    let status = cx.status();
    status.length = Some(status.lines.len());
    Ok(())
}

#[reconciler(conditions = LedgerCondition)]
async fn ledger(ledger: &Ledger, cx: &mut Pass<'_>) -> PassResult {
    enter(ledger, cx).await?;
    count(ledger, cx).await?;
    Ok(())
}

/// A hook reads all fields, including restricted ones.
fn seen(_: &Ledger, end: &mut PassEnd<'_, LedgerStatus>) {
    let status = end.status();
    assert_eq!(status.last_line.as_ref(), status.lines.last());
}

/// Enters while the previous lines are counted.
#[reconciler(conditions = LedgerCondition, on_end = seen)]
async fn beside(ledger: &Ledger, cx: &mut Pass<'_>) -> PassResult {
    join(enter(ledger, cx), count(ledger, cx)).await?;
    Ok(())
}

async fn a_restricted_field_is_written_within_a_join(world: World) -> World {
    world.install(&Ledger::crd()).await;
    let operator = world.operator::<beside>(());
    let object = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Ledger", "metadata": { "name": "a" }, "spec": { "line": "one" } });
    world.create::<Ledger>(object).await;
    let first = world.until::<Ledger>("a", "ready", is_ready).await;
    assert_eq!((&first["status"]["lines"], &first["status"]["length"]), (&json!(["one"]), &json!(0)));
    world.merge::<Ledger>("a", json!({ "spec": { "line": "two" } })).await;
    let second = world.until::<Ledger>("a", "counted", |a| a["status"]["length"] == 1 && is_ready(a)).await;
    assert_eq!((&second["status"]["lastLine"], &second["status"]["lines"]), (&json!("two"), &json!(["one", "two"])));
    operator.stop().await.unwrap();
    world
}

async fn a_restricted_field_is_written_and_survives_a_pass(world: World) -> World {
    world.install(&Ledger::crd()).await;
    let operator = world.operator::<ledger>(());
    let object = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Ledger", "metadata": { "name": "a" }, "spec": { "line": "one" } });
    world.create::<Ledger>(object).await;
    let first = world.until::<Ledger>("a", "ready", is_ready).await;
    assert_eq!((&first["status"]["lastLine"], &first["status"]["lines"]), (&json!("one"), &json!(["one"])));
    world.merge::<Ledger>("a", json!({ "spec": { "line": "two" } })).await;
    let second = world.until::<Ledger>("a", "counted twice", |a| a["status"]["length"] == 2).await;
    assert_eq!((&second["status"]["lastLine"], &second["status"]["lines"]), (&json!("two"), &json!(["one", "two"])));
    world.merge::<Ledger>("a", json!({ "spec": { "line": null } })).await;
    let closed = world.until::<Ledger>("a", "closed", |a| a["status"].get("lastLine").is_none()).await;
    assert_eq!((&closed["status"]["lines"], &closed["status"]["length"]), (&json!(["one", "two"]), &json!(2)));
    operator.stop().await.unwrap();
    world
}

on_each_server!(a_restricted_field_is_written_and_survives_a_pass, a_restricted_field_is_written_within_a_join,);

#[tokio::test(start_paused = true)]
async fn restricted_fields_converge_after_any_fault() {
    from_everywhere(&Ledger::crd(), async |stage| {
        stage.operate::<ledger>(());
        let object =
            json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Ledger", "metadata": { "name": "a" }, "spec": {} });
        stage.create::<Ledger>(object).await;
        for line in [json!("one"), json!("two"), json!(null)] {
            stage.merge::<Ledger>("a", json!({ "spec": { "line": line } })).await;
            stage.rest().await;
        }
        let closed = stage.raw::<Ledger>("a").await;
        assert_eq!((&closed["status"]["lines"], &closed["status"]["length"]), (&json!(["one", "two"]), &json!(2)));
    })
    .await;
}
