//! The reconcilers of an operator share their watches: each kind is watched once, and its events reach all reconcilers that declared it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::Verb;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, condition, definition};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use tokio::time::sleep;

/// A reconciler that reads a Secret by name and one by label, and owns a ConfigMap named after the widget and itself.
macro_rules! reader {
    ($name:ident, $condition:ident, $summary:tt) => {
        mod $name {
            use super::*;

            #[derive(ConditionSet)]
            #[condition_set(mod = on)]
            pub(crate) enum Conditions {
                #[condition(positive)]
                $condition,
            }

            #[sub_reconciler(
                sets(on::$condition),
                watches(Secret, by_name),
                watches(ConfigMap, labels = "look=yes"),
                owns(ConfigMap)
            )]
            pub(crate) async fn read(
                widget: &Widget,
                lab: &Arc<Lab>,
                cx: &mut Cx<'_, read>,
            ) -> Result<(), WidgetError> {
                let secret = cx.require::<Secret>("token").await?;
                let map = cx.get::<ConfigMap>("map").await?;
                let version = map.and_then(|map| map.data?.remove("k")).unwrap_or_default();
                let token = secret.data.and_then(|mut data| data.remove("k")).unwrap_or_default();
                lab.note(&format!("{} {} {version}", stringify!($name), String::from_utf8_lossy(&token.0)));
                let name = format!("{}-{}", widget.metadata.name.as_deref().unwrap_or_default(), stringify!($name));
                cx.apply(&super::a_map(&name, "wanted", None)).await?;
                Ok(())
            }

            #[reconciler(conditions = Conditions, summary = $summary, requeue = "30d")]
            pub(crate) async fn $name(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
                read(widget, lab, cx).await?;
                Ok(())
            }
        }
    };
}

reader!(one, First, "OneReady");
reader!(two, Second, "TwoReady");

fn a_map(name: &str, value: &str, label: Option<&str>) -> ConfigMap {
    let labels = label.map(|label| json!({ "look": label }));
    serde_json::from_value(json!({ "metadata": { "name": name, "labels": labels }, "data": { "k": value } })).unwrap()
}

async fn secret(world: &World, value: &str) {
    let secret =
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "token" }, "stringData": { "k": value } });
    world.api::<Secret>().patch("token", &PatchParams::apply("tests").force(), &Patch::Apply(secret)).await.unwrap();
}

fn both_ready(widget: &Value) -> bool {
    ["OneReady", "TwoReady"].iter().all(|name| condition(widget, name).is_some_and(|c| c["status"] == "True"))
}

/// Two idle reconcilers of one widget.
async fn at_rest() -> (World, Arc<Lab>, Running) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    secret(&world, "1").await;
    world.api::<ConfigMap>().create(&PostParams::default(), &a_map("map", "a", Some("yes"))).await.unwrap();
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.cluster().log().clear();
    let lab = Lab::at("a");
    world.wire.observers().know::<two::two>();
    let operator = Running::start(world.prepare::<one::one>(lab.clone()).reconciler::<two::two>(lab.clone()));
    world.until::<Widget>("w", "both ready", both_ready).await;
    sleep(Duration::from_secs(1)).await;
    (world, lab, operator)
}

/// The new lines in the lab, sorted by name.
fn noted(lab: &Lab, seen: &mut usize) -> Vec<String> {
    let mut new = lab.log().split_off(*seen);
    *seen += new.len();
    new.sort();
    new
}

#[tokio::test(start_paused = true)]
async fn reconcilers_share_one_watch_per_kind() {
    let (world, _, operator) = at_rest().await;
    let mut watches = BTreeMap::new();
    for entry in world.cluster().log().entries() {
        if entry.verb == Verb::Watch {
            *watches.entry(entry.resource).or_insert(0) += 1;
        }
    }
    let once = [("configmaps", 2), ("customresourcedefinitions", 1), ("secrets", 1), ("widgets", 1)]
        .map(|(kind, n)| (kind.to_owned(), n));
    assert_eq!(watches, BTreeMap::from(once), "config maps by label, and the metadata of all for their owners");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_shared_watch_reaches_each_reconciler() {
    let (world, lab, operator) = at_rest().await;
    let mut seen = lab.log().len();
    secret(&world, "2").await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(noted(&lab, &mut seen), ["one 2 a", "two 2 a"], "by name");
    let maps = world.api::<ConfigMap>();
    maps.patch("map", &PatchParams::default(), &Patch::Merge(json!({ "data": { "k": "b" } }))).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(noted(&lab, &mut seen), ["one 2 b", "two 2 b"], "by label");
    for child in ["w-one", "w-two"] {
        maps.delete(child, &DeleteParams::default()).await.unwrap();
        sleep(Duration::from_secs(1)).await;
        assert!(maps.get_opt(child).await.unwrap().is_some(), "{child} is back");
    }
    operator.stop().await.unwrap();
}
