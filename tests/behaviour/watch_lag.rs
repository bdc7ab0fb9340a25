//! Lagging watches: a pass never reads a child that is older than its own last write.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_testkit::{Effect, Fault, Verb};
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::sleep;

/// How long the watches of ConfigMaps are silent.
const LAG: Duration = Duration::from_secs(600);

/// A reconciler that reads a child, applies it, and reads it again.
macro_rules! reader {
    ($name:ident, $($watch:tt)*) => {
        mod $name {
            use super::*;

            #[derive(ConditionSet)]
            #[condition_set(mod = on)]
            pub(crate) enum Conditions {
                #[condition(positive)]
                Made,
            }

            #[sub_reconciler(sets(on::Made), owns(ConfigMap), watches(ConfigMap, $($watch)*))]
            pub(crate) async fn make(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx<'_, make>) -> Result<(), WidgetError> {
                let before = super::content(cx.get::<ConfigMap>("child").await?);
                match &widget.spec.child {
                    Some(content) => drop(cx.apply(&super::a_map(content)).await?),
                    None => cx.delete::<ConfigMap>("child").await?,
                }
                let after = super::content(cx.get::<ConfigMap>("child").await?);
                lab.note(&format!("{before} {after}"));
                Ok(())
            }

            #[reconciler(conditions = Conditions, requeue = "30d")]
            pub(crate) async fn $name(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
                make(widget, lab, cx).await?;
                Ok(())
            }
        }
    };
}

reader!(named, by_name);
reader!(labelled, labels = "look=yes");

fn a_map(content: &str) -> ConfigMap {
    let meta = json!({ "name": "child", "labels": { "look": "yes" } });
    serde_json::from_value(json!({ "metadata": meta, "data": { "k": content } })).unwrap()
}

fn content(map: Option<ConfigMap>) -> String {
    map.and_then(|map| map.data?.remove("k")).unwrap_or_else(|| "-".into())
}

async fn plays(prepare: impl FnOnce(&World, Arc<Lab>) -> Operator) {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let lag = Fault::new(Effect::Latency(LAG)).resource("configmaps").verb(Verb::Watch);
    world.cluster().faults().add(lag.always());
    let lab = Lab::at("a");
    // In pages, so that the list itself does not lag.
    let operator = Running::start(prepare(&world, lab.clone()).paged_lists());
    world.create::<Widget>(a_widget("w", json!({ "child": "x" }))).await;
    for child in [Some("y"), None, Some("z"), Some("z")] {
        sleep(Duration::from_secs(5)).await;
        world.merge::<Widget>("w", json!({ "spec": { "child": child, "store": null } })).await;
    }
    sleep(Duration::from_secs(5)).await;
    assert_eq!(lab.log(), ["- x", "x y", "y -", "- z"], "before and after each pass");
    world.cluster().faults().clear();
    sleep(2 * LAG).await;
    assert!(lab.log().iter().skip(4).all(|line| line == "z z"), "late news change nothing: {:?}", lab.log());
    world.cluster().log().clear();
    world.merge::<Widget>("w", json!({ "spec": { "child": "last" } })).await;
    sleep(Duration::from_secs(5)).await;
    let log = lab.log();
    assert_eq!(log[log.len() - 2..], ["z last", "last last"], "what it reads has changed, so it runs once more");
    let reads = world
        .cluster()
        .log()
        .count(|entry| entry.resource == "configmaps" && matches!(entry.verb, Verb::Get | Verb::List));
    assert_eq!(reads, 1, "only what the pass itself has just written is not in the cache yet");
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn own_writes_are_read_while_the_name_watch_lags() {
    plays(World::prepare::<named::named>).await;
}

#[tokio::test(start_paused = true)]
async fn own_writes_are_read_while_the_label_watch_lags() {
    plays(World::prepare::<labelled::labelled>).await;
}
