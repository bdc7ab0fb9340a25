//! Cached content per kind: only versions, metadata, or full objects; and which calls that saves or costs.

use std::sync::Arc;
use std::time::Duration;

use evenkeel::Reconciler;
use evenkeel::prelude::*;
use evenkeel_testkit::{Entry, Verb};
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, Widget, WidgetError, a_widget, definition};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::{Value, json};
use tokio::time::sleep;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
enum CacheCondition {
    /// What was wanted was read.
    #[condition(positive)]
    Seen,
}

/// Reads a Secret by name, of which only the version is cached.
#[sub_reconciler(sets(on::Seen), watches(Secret, by_name, cache = none))]
async fn ask(_widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    lab.note("asks");
    let secret = cx.require::<Secret>("s").await?;
    lab.note(&content(&secret));
    Ok(())
}

#[reconciler(conditions = CacheCondition)]
async fn asking(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    ask(widget, lab, cx).await?;
    Ok(())
}

/// Reads the tiers of all Secrets from the cached metadata, and reads the last Secret.
#[sub_reconciler(sets(on::Seen), watches(Secret, labels = "tier", cache = metadata))]
async fn look(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let tiers: Vec<_> = cx.metadata::<Secret>().await?.iter().map(|meta| (name(meta), tier(meta))).collect();
    lab.note(&format!("{tiers:?}"));
    if let Some(wanted) = &widget.spec.fetch {
        let (one, all) = (cx.get::<Secret>(wanted).await?, cx.list::<Secret>().await?);
        lab.note(&format!("{:?} of {}", one.as_ref().map(content), all.iter().map(content).collect::<String>()));
    }
    Ok(())
}

#[reconciler(conditions = CacheCondition)]
async fn looking(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    look(widget, lab, cx).await?;
    Ok(())
}

/// Caches the owned ConfigMaps in full: it reads its own write and later changes.
#[sub_reconciler(sets(on::Seen), owns(ConfigMap, cache = full))]
async fn keep(widget: &Widget, lab: &Arc<Lab>, cx: &mut Cx) -> Result<(), WidgetError> {
    let name = widget.name_any();
    let before = cx.get::<ConfigMap>(&name).await?.map(|map| map.data);
    lab.note(&format!("{before:?}"));
    let wanted: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": name }, "data": { "a": "1" } })).unwrap();
    cx.apply(&wanted).await?;
    let after = cx.get::<ConfigMap>(&name).await?.map(|map| map.data);
    let labels: Vec<_> = cx.metadata::<ConfigMap>().await?.iter().map(|meta| meta.labels.clone()).collect();
    lab.note(&format!("{after:?} {labels:?}"));
    Ok(())
}

#[reconciler(conditions = CacheCondition)]
async fn keeping(widget: &Widget, lab: &Arc<Lab>, cx: &mut Pass<'_>) -> PassResult {
    keep(widget, lab, cx).await?;
    Ok(())
}

fn name(meta: &kube::api::ObjectMeta) -> String {
    meta.name.clone().unwrap_or_default()
}

fn tier(meta: &kube::api::ObjectMeta) -> String {
    meta.labels.iter().flatten().find(|(label, _)| *label == "tier").map(|(_, tier)| tier.clone()).unwrap_or_default()
}

fn content(secret: &Secret) -> String {
    let values = secret.data.iter().flatten().map(|(_, value)| String::from_utf8_lossy(&value.0).into_owned());
    values.collect()
}

fn a_secret(name: &str, tier: &str, content: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "tier": tier } }, "stringData": { "a": content } })
}

struct Played {
    world: World,
    lab: Arc<Lab>,
    operator: Running,
}

impl Played {
    /// Starts an operator with a widget and waits until it is idle.
    async fn of<R>(spec: Value, before: &[Value]) -> Self
    where
        R: Reconciler<Object = Widget, Deps = Arc<Lab>>,
    {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        for secret in before {
            world.create::<Secret>(secret.clone()).await;
        }
        world.create::<Widget>(a_widget("w", spec)).await;
        let lab = Lab::at("a");
        let operator = world.operator::<R>(lab.clone());
        let played = Self { world, lab, operator };
        played.settle().await;
        played
    }

    async fn settle(&self) {
        sleep(Duration::from_secs(5)).await;
    }

    /// How many full objects of the resource were read.
    fn reads(&self, resource: &str) -> usize {
        let reads = self.world.cluster().log().requests().resource(resource).reads();
        let whole = |entry: &&Entry| entry.verb != Verb::Watch && !entry.accept.contains("PartialObjectMetadata");
        reads.entries().iter().filter(whole).count()
    }

    fn watches(&self, resource: &str) -> Vec<String> {
        let log = self.world.cluster().log().requests();
        log.resource(resource).verb(Verb::Watch).entries().iter().map(|entry| entry.accept.clone()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_kind_cached_by_version_is_read_once_present() {
    let played = Played::of::<asking>(json!({}), &[]).await;
    assert_eq!((played.lab.log(), played.reads("secrets")), (vec!["asks".to_owned()], 0), "absence is known");
    played.world.create::<Secret>(a_secret("s", "x", "one")).await;
    played.settle().await;
    assert_eq!((played.lab.log(), played.reads("secrets")), (["asks", "asks", "one"].map(str::to_owned).into(), 1));
    played.world.merge::<Secret>("s", json!({ "stringData": { "a": "two" } })).await;
    played.settle().await;
    assert_eq!((played.lab.log().last().unwrap().as_str(), played.reads("secrets")), ("two", 2));
    let watches = played.watches("secrets");
    assert!(
        !watches.is_empty() && watches.iter().all(|accept| accept.contains("as=PartialObjectMetadata")),
        "{watches:?}"
    );
    played.operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn lists_use_cached_metadata_and_gets_read_the_rest() {
    let secrets = [a_secret("a", "web", "one"), a_secret("b", "db", "two")];
    let played = Played::of::<looking>(json!({}), &secrets).await;
    assert_eq!(played.lab.log(), [r#"[("a", "web"), ("b", "db")]"#]);
    played.world.merge::<Secret>("b", json!({ "metadata": { "labels": { "tier": "web" } } })).await;
    played.settle().await;
    assert_eq!(played.lab.log().last().unwrap(), r#"[("a", "web"), ("b", "web")]"#, "a change triggers");
    assert_eq!(played.reads("secrets"), 0);
    played.world.merge::<Widget>("w", json!({ "spec": { "fetch": "b" } })).await;
    played.settle().await;
    assert_eq!((played.lab.log().last().unwrap().as_str(), played.reads("secrets")), (r#"Some("two") of onetwo"#, 2));
    played.world.merge::<Widget>("w", json!({ "spec": { "fetch": "c" } })).await;
    played.settle().await;
    assert_eq!(
        (played.lab.log().last().unwrap().as_str(), played.reads("secrets")),
        ("None of onetwo", 3),
        "absence is known"
    );
    played.operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn fully_cached_owned_objects_are_read_without_a_call() {
    let played = Played::of::<keeping>(json!({}), &[]).await;
    let written = r#"Some(Some({"a": "1"})) [None]"#;
    assert_eq!(
        (played.lab.log(), played.reads("configmaps")),
        (["None", written].map(str::to_owned).into(), 1),
        "the server reports that there is none"
    );
    let drift = json!({ "metadata": { "labels": { "b": "2" } }, "data": { "a": "drifted" } });
    played.world.merge::<ConfigMap>("w", drift).await;
    played.settle().await;
    let seen = [r#"Some(Some({"a": "drifted"}))"#, r#"Some(Some({"a": "1"})) [Some({"b": "2"})]"#];
    assert_eq!(played.lab.log()[2..], seen);
    played.world.merge::<ConfigMap>("w", json!({ "metadata": { "labels": { "b": "3" } } })).await;
    played.settle().await;
    assert_eq!(
        played.lab.log().last().unwrap(),
        r#"Some(Some({"a": "1"})) [Some({"b": "3"})]"#,
        "labels count as read"
    );
    assert_eq!(played.reads("configmaps"), 1, "no further one");
    played.operator.stop().await.unwrap();
}
