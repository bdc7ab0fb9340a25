//! Closed sets of reasons at run time: a reason that the compiler cannot check is set unchanged and logged once.

use evenkeel::prelude::*;
use evenkeel_tests::logs::Logs;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Widget, a_widget, condition, definition};
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum ShelfCondition {
    /// It was looked at.
    #[condition(positive)]
    Seen,
    /// It stands on the shelf.
    #[condition(positive, reasons(Kept, Full))]
    Shelved,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
enum ShelfError {
    #[error("it fell off")]
    #[class(transient)]
    Fallen,
}

/// Reasons that are only known at run time.
fn word(widget: &Widget) -> &'static str {
    match widget.spec.store.as_deref() {
        Some("odd") => "Crooked",
        _ => "Kept",
    }
}

#[sub_reconciler(sets(on::Seen, on::Shelved))]
async fn shelve(widget: &Widget, cx: &mut Cx) -> Result<(), ShelfError> {
    if widget.spec.fetch.is_some() {
        return Err(cx.fail(on::Shelved, ShelfError::Fallen));
    }
    cx.set(on::Shelved, ConditionStatus::True, word(widget), widget.spec.child.as_deref().unwrap_or_default());
    Ok(())
}

#[reconciler(conditions = ShelfCondition, retry = "1s")]
async fn shelf(widget: &Widget, cx: &mut Pass<'_>) -> PassResult {
    shelve(widget, cx).await?;
    Ok(())
}

async fn until_reason(world: &World, name: &str, reason: &str) {
    let shown = |w: &Value| condition(w, "Shelved").is_some_and(|c| c["reason"] == reason);
    world.until::<Widget>(name, reason, shown).await;
}

#[tokio::test]
async fn an_undeclared_reason_is_set_and_logged_once() {
    let (logs, _guard) = Logs::capture();
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let operator = world.operator::<shelf>(());
    world.create::<Widget>(a_widget("a", json!({}))).await;
    until_reason(&world, "a", "Kept").await;
    assert!(logs.with(&["does not declare"]).is_empty(), "a declared reason logs nothing");
    for name in ["b", "c"] {
        world.create::<Widget>(a_widget(name, json!({ "store": "odd" }))).await;
        until_reason(&world, name, "Crooked").await;
    }
    world.create::<Widget>(a_widget("d", json!({ "fetch": "broken" }))).await;
    until_reason(&world, "d", "Fallen").await;
    operator.stop().await.unwrap();
    let names = ["WARN", "step=\"shelve\"", "condition=\"Shelved\""];
    for reason in ["Crooked", "Fallen"] {
        let field = format!("reason=\"{reason}\"");
        assert_eq!(logs.with(&[&names[..], &[&field]].concat()).len(), 1, "{reason}");
    }
}
