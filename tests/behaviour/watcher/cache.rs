//! Watchers without a cache: each call reads its object.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel::{Metadata, ReconciledKind, Watcher};
use evenkeel_testkit::{Cluster, Verb};
use evenkeel_tests::recording_client::{Call, Fault};
use evenkeel_tests::test_env::{Running, World};
use kube::{CustomResourceExt, ResourceExt};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::service::{Info, InfoError, InfoStatus, Service, info, text};

/// Follows the objects of a team.
struct Directory(Arc<Service>);

#[watcher(plain, cache = none, labels = "team", on(generation, labels("tier")))]
impl Directory {
    async fn sync(&self, info: &Info) -> Result<(), Infallible> {
        let _ = self.0.called("sync", &text(info));
        Ok(())
    }

    async fn delete(&self, info: &Metadata<Info>) -> Result<(), Infallible> {
        let _ = self.0.called("delete", &info.name_any());
        Ok(())
    }
}

/// Gives up after two calls.
struct Bounded(Arc<Service>);

#[watcher(plain, cache = none, retry = "10s", tries = 2, requeue = "1h")]
impl Bounded {
    async fn add(&self, info: &Info, cx: &mut Cx) -> Result<(), InfoError> {
        self.0.called("add", &format!("{} {}", text(info), cx.tries()))
    }

    async fn sync(&self, info: &Info) -> Result<(), InfoError> {
        self.0.called("sync", &text(info))
    }
}

/// Needs the content of the objects that are being deleted.
struct Contents(Arc<Service>);

#[watcher(bare, finalizer = "tests.evenkeel.dev/contents", cache = none, reads(Info))]
impl Contents {
    async fn add(&self, info: &Info) -> Result<(), ApiError> {
        let _ = self.0.called("add", &text(info));
        Ok(())
    }

    async fn delete(&self, info: &Metadata<Info>, cx: &mut Cx) -> Result<(), ApiError> {
        let content = cx.get::<Info>(&info.name_any()).await?;
        let _ = self.0.called("delete", &content.map_or_else(|| "nothing".to_owned(), |info| text(&info)));
        Ok(())
    }
}

/// The same kind as another program defines it.
mod strict {
    use super::*;

    #[derive(kube::CustomResource, kube::KubeSchema, Clone, Debug, serde::Deserialize, serde::Serialize)]
    #[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Info", namespaced, status = "InfoStatus")]
    pub(super) struct InfoSpec {
        pub(super) size: u32,
    }
}

struct Sizes(Arc<Service>);

#[watcher(plain, cache = none)]
impl Sizes {
    async fn sync(&self, info: &strict::Info) -> Result<(), Infallible> {
        let _ = self.0.called("sync", &info.spec.size.to_string());
        Ok(())
    }
}

async fn start<W: Watcher<Object: ReconciledKind>>(watcher: W::Deps) -> (World, Running) {
    let world = World::within(Cluster::start().await);
    world.install(&Info::crd()).await;
    let operator = world.operator::<W>(watcher);
    after(1).await;
    (world, operator)
}

fn a_member(text: &str) -> Value {
    let mut member = info("a", text);
    member["metadata"]["labels"] = json!({ "team": "x" });
    member
}

/// Advances the clock, so that everything that is due within this time has run.
async fn after(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

fn is_read(call: &Call) -> bool {
    call.method == "GET" && call.path.ends_with("/infos/a")
}

fn reads(world: &World) -> usize {
    world.wire.count(is_read)
}

/// Holds the reads of the object until the sender sends.
fn hold_reads(world: &World) -> watch::Sender<bool> {
    let (release, held) = watch::channel(false);
    world.wire.fault(move |call| is_read(call).then(|| Fault::Hold(held.clone())));
    release
}

#[tokio::test(start_paused = true)]
async fn an_object_is_read_once_for_each_call() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    world.merge::<Info>("a", json!({ "spec": { "text": "two" } })).await;
    after(1).await;
    world.merge::<Info>("a", json!({ "metadata": { "labels": { "tier": "web" } } })).await;
    after(1).await;
    assert_eq!(
        (service.calls(), reads(&world)),
        (["one", "two", "two"].map(|text| format!("sync a={text}")).into(), 3)
    );
    // Neither the label, the annotation nor the finalizer counts.
    let other = json!({ "labels": { "other": "x" }, "annotations": { "other": "x" }, "finalizers": ["example.com/x"] });
    world.merge::<Info>("a", json!({ "metadata": other })).await;
    world.merge::<Info>("a", json!({ "metadata": { "finalizers": null } })).await;
    after(1).await;
    assert_eq!((service.calls().len(), reads(&world)), (3, 3));
    operator.stop().await.unwrap();
    let operator = world.operator::<Directory>(Directory(service.clone()));
    after(1).await;
    assert_eq!((service.calls()[3..].to_vec(), reads(&world)), (vec!["sync a=two".to_owned()], 4));
    world.delete::<Info>("a").await;
    after(1).await;
    assert_eq!((service.calls()[4..].to_vec(), reads(&world), world.writes()), (vec!["delete a".to_owned()], 4, 0));
    let watches = world.cluster().log().requests().resource("infos").verb(Verb::Watch);
    assert!(watches.entries().iter().all(|entry| entry.accept.contains("as=PartialObjectMetadata")));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_gone_when_it_is_read_is_not_handed_out() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    let release = hold_reads(&world);
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    world.delete::<Info>("a").await;
    release.send_replace(true);
    after(60).await;
    assert_eq!((service.calls(), reads(&world)), (Vec::<String>::new(), 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_known_object_that_is_gone_when_it_is_read_is_deleted() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    let release = hold_reads(&world);
    world.merge::<Info>("a", json!({ "spec": { "text": "two" } })).await;
    after(1).await;
    world.delete::<Info>("a").await;
    world.create::<Info>(a_member("three")).await;
    release.send_replace(true);
    after(60).await;
    assert_eq!(service.calls(), ["sync a=one", "delete a", "sync a=three"]);
    assert_eq!(reads(&world), 3);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_has_left_the_selection_when_it_is_read_is_not_handed_out() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    let release = hold_reads(&world);
    world.merge::<Info>("a", json!({ "spec": { "text": "two" } })).await;
    after(1).await;
    world.merge::<Info>("a", json!({ "metadata": { "labels": { "team": null } } })).await;
    release.send_replace(true);
    after(60).await;
    assert_eq!(service.calls(), ["sync a=one", "delete a"]);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_bare_watcher_reads_the_object_that_is_being_deleted() {
    let service = Service::new();
    let (world, operator) = start::<Contents>(Contents(service.clone())).await;
    world.create::<Info>(info("a", "one")).await;
    after(1).await;
    world.delete::<Info>("a").await;
    after(1).await;
    assert_eq!((service.calls(), reads(&world)), (vec!["add a=one".to_owned(), "delete a=one".to_owned()], 2));
    // A deletion in spite of the finalizer leaves nothing to read.
    world.create::<Info>(info("b", "two")).await;
    after(1).await;
    assert!(world.cluster().delete_despite_finalizers::<Info>(&world.namespace, "b"));
    after(60).await;
    assert_eq!(service.calls()[2..], ["add b=two", "delete nothing"]);
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_a_list_lacks_is_deleted() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    world.wire.freeze();
    world.delete::<Info>("a").await;
    world.cluster().compact();
    world.cluster().drop_watches();
    world.wire.thaw();
    after(60).await;
    assert_eq!((service.calls(), reads(&world)), (vec!["sync a=one".to_owned(), "delete a".to_owned()], 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_object_is_not_read_after_a_list() {
    let service = Service::new();
    let (world, operator) = start::<Directory>(Directory(service.clone())).await;
    world.create::<Info>(a_member("one")).await;
    after(1).await;
    world.cluster().compact();
    world.cluster().drop_watches();
    after(60).await;
    assert_eq!((service.calls().len(), reads(&world)), (1, 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_read_is_repeated_without_a_call() {
    let service = Service::new();
    let (world, operator) = start::<Bounded>(Bounded(service.clone())).await;
    let mut left = 3;
    world.wire.fault(move |call| {
        let is_failing = is_read(call) && left > 0;
        left -= i32::from(is_failing);
        is_failing.then_some(Fault::Answer(500, None))
    });
    world.create::<Info>(info("a", "one")).await;
    after(60).await;
    // A failed read is no try of the call.
    assert_eq!((service.calls()[0].as_str(), reads(&world)), ("add a=one 0", service.calls().len() + 3));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_reads_the_object_again() {
    let service = Service::new();
    service.fail("add", 3, false);
    let (world, operator) = start::<Bounded>(Bounded(service.clone())).await;
    world.create::<Info>(info("a", "one")).await;
    // The interval of an object begins at a time of its own.
    after(3600 + 400).await;
    let calls = service.calls();
    assert_eq!(calls[..4], [0, 1, 0, 1].map(|tries| format!("add a=one {tries}")), "it is given up in between");
    after(3600).await;
    assert_eq!(service.calls().last().unwrap(), "sync a=one");
    assert_eq!((service.calls().len(), world.notes("a", "GaveUp").len()), (reads(&world), 1));
    operator.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_fit_its_type_is_reported_and_not_handed_out() {
    let service = Service::new();
    let (world, operator) = start::<Sizes>(Sizes(service.clone())).await;
    world.create::<Info>(info("a", "one")).await;
    after(60).await;
    let note = "the Info does not fit its type: spec: missing field `size`; the object is not reconciled until the field is corrected";
    assert_eq!((world.notes("a", "Undecodable"), service.calls()), (vec![note.to_owned()], Vec::<String>::new()));
    operator.stop().await.unwrap();
}
