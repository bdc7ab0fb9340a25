//! Exports of a step: Secrets and ConfigMaps under free names only, and the message of Ready.

use std::sync::Arc;

use evenkeel::prelude::*;
use evenkeel_testkit::eventually;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{SOON, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, condition, definition, is_ready};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::DeleteParams;
use serde_json::{Value, json};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum ExportCondition {
    /// What others need is there.
    #[condition(positive)]
    Exported,
}

/// Exports the word of the spec.
#[sub_reconciler(sets(on::Exported), owns(Secret, ConfigMap))]
async fn export(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), ApiError> {
    let word = widget.spec.fetch.clone().unwrap_or_default();
    let key = if word == "other" { "token" } else { "password" };
    cx.export_secret("login", [(key, word.as_str())]).await?;
    cx.export_config_map("address", [("host", "localhost")]).await?;
    cx.ready("Provisioned", "login and address");
    lab.note("exported");
    Ok(())
}

#[reconciler(conditions = ExportCondition)]
async fn exporter(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    export(widget, lab, cx).await?;
    Ok(())
}

fn text(secret: &Secret) -> Vec<(&str, &str)> {
    let data = secret.data.iter().flatten();
    data.map(|(key, value)| (key.as_str(), std::str::from_utf8(&value.0).unwrap())).collect()
}

fn ready(widget: &Value) -> (&str, &str, &str) {
    let ready = condition(widget, "Ready").unwrap();
    let field = |name: &str| ready[name].as_str().unwrap();
    (field("status"), field("reason"), field("message"))
}

on_each_server!(exported_data_appears_nowhere_else, an_export_to_a_taken_name_is_refused,);

async fn exported_data_appears_nowhere_else(world: World) -> World {
    world.install(&definition()).await;
    let lab = Lab::at("a");
    let operator = world.operator::<exporter>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hunter2" }))).await;
    let widget = world.until::<Widget>("w", "ready", is_ready).await;
    assert_eq!(ready(&widget), ("True", "Provisioned", "login and address"));
    let secret = world.api::<Secret>().get("login").await.unwrap();
    assert_eq!(text(&secret), [("password", "hunter2")]);
    assert_eq!(secret.metadata.owner_references.unwrap()[0].kind, "Widget");
    let map = world.api::<ConfigMap>().get("address").await.unwrap();
    assert_eq!(map.data.unwrap().into_iter().collect::<Vec<_>>(), [("host".to_owned(), "localhost".to_owned())]);
    let hidden = |text: &str| text.contains("hunter2") || text.contains("aHVudGVyMg");
    let leaks = world.wire.calls().into_iter().filter(|call| call.is_write() && !call.path.contains("/secrets/"));
    assert_eq!(leaks.filter(|call| hidden(&call.body)).count(), 0);
    world.merge::<Widget>("w", json!({ "spec": { "fetch": "other" } })).await;
    let changed = || async {
        let secret = world.api::<Secret>().get("login").await.unwrap();
        (text(&secret) == [("token", "other")]).then_some(())
    };
    eventually(SOON, changed).await;
    world.api::<Secret>().delete("login", &DeleteParams::default()).await.unwrap();
    eventually(SOON, || async { world.api::<Secret>().get_opt("login").await.unwrap() }).await;
    operator.stop().await.unwrap();
    world
}

async fn an_export_to_a_taken_name_is_refused(world: World) -> World {
    world.install(&definition()).await;
    world.create::<Secret>(json!({ "metadata": { "name": "login" }, "stringData": { "theirs": "1" } })).await;
    let lab = Lab::at("a");
    let operator = world.operator::<exporter>(lab.clone());
    world.create::<Widget>(a_widget("w", json!({ "fetch": "hunter2" }))).await;
    let is_refused = |w: &Value| condition(w, "Ready").is_some_and(|c| c["reason"] == "DependentForeign");
    let widget = world.until::<Widget>("w", "refused", is_refused).await;
    let (_, _, message) = ready(&widget);
    assert!(message.contains("/login has no owner and was not created by this operator"), "{message}");
    let secret = world.api::<Secret>().get("login").await.unwrap();
    assert_eq!((text(&secret), lab.log().len()), (vec![("theirs", "1")], 0));
    world.api::<Secret>().delete("login", &DeleteParams::default()).await.unwrap();
    world.until::<Widget>("w", "ready", is_ready).await;
    operator.stop().await.unwrap();
    world
}
