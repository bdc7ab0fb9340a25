//! B1, tuned: it prunes unread fields from the cache, reconciles new generations only, skips unchanged writes, and has a concurrency of 16.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{BoxStream, select};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::Patch;
use kube::runtime::controller::{Action, Config, applier, trigger_owners, trigger_self};
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::{WatchStreamExt, predicates, reflector, watcher};
use kube::{Api, Client, Resource, ResourceExt};
use serde_json::json;

use super::release::{HandRelease, StatusPatch, found};
use super::{Context, FINALIZER, Work, manager, owned};
use crate::kind::NAMESPACE;

/// The context of a pass, with the cached children.
struct Tuned {
    context: Context,
    children: Store<ConfigMap>,
}

async fn reconcile(release: Arc<HandRelease>, tuned: Arc<Tuned>) -> Result<Action, kube::Error> {
    let context = &tuned.context;
    context.begin();
    std::hint::black_box(&release.spec.revision);
    if context.work.idle {
        return Ok(context.work.again());
    }
    if release.meta().deletion_timestamp.is_some() {
        return finalize(&release, context, None).await.map(|()| Action::await_change());
    }
    if context.work.finalizer && !release.finalizers().iter().any(|name| name == FINALIZER) {
        finalize(&release, context, Some(FINALIZER)).await?;
    }
    for child in owned(&release, context.work) {
        keep_child(child, &tuned).await?;
    }
    let found = found(&release, context.work);
    if release.status.as_ref() != Some(&found) {
        let patch = Patch::Apply(StatusPatch::new(&found));
        context.releases().patch_status(&release.name_any(), &manager(), &patch).await?;
    }
    Ok(context.work.again())
}

/// Sets the finalizer, or removes all.
async fn finalize(release: &HandRelease, context: &Context, name: Option<&str>) -> Result<(), kube::Error> {
    let finalizers: Vec<&str> = name.into_iter().collect();
    let version = release.resource_version();
    let patch = json!({ "metadata": { "finalizers": finalizers, "resourceVersion": version } });
    context.releases().patch(&release.name_any(), &Default::default(), &Patch::Merge(patch)).await.map(drop)
}

async fn keep_child(wanted: ConfigMap, tuned: &Tuned) -> Result<(), kube::Error> {
    let held = tuned.children.get(&ObjectRef::from_obj(&wanted));
    if held.is_some_and(|held| held.data == wanted.data) {
        return Ok(());
    }
    tuned.context.maps().patch(&wanted.name_any(), &manager(), &Patch::Apply(&wanted)).await.map(drop)
}

fn give_up(_: Arc<HandRelease>, _: &kube::Error, _: Arc<Tuned>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

/// Removes unread fields.
pub(super) fn prune<K: Resource>(object: &mut K) {
    object.managed_fields_mut().clear();
    object.annotations_mut().remove("kubectl.kubernetes.io/last-applied-configuration");
}

/// Runs for ever and counts its passes.
pub async fn b1(client: Client, work: Work, passes: Arc<AtomicUsize>) {
    let api = Api::<HandRelease>::namespaced(client.clone(), NAMESPACE);
    let (reader, writer) = reflector::store();
    let events = watcher(api, watcher::Config::default())
        .default_backoff()
        .modify(prune)
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation, Default::default());
    let own = trigger_self(events, ());
    let (children, writer) = reflector::store();
    let queue: BoxStream<'_, _> = if work.children > 0 {
        let maps = watcher(Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE), watcher::Config::default());
        let events = maps.default_backoff().modify(prune).reflect(writer).touched_objects();
        select(own, trigger_owners(events, (), ())).boxed()
    } else {
        own.boxed()
    };
    let tuned = Arc::new(Tuned { context: Context { client, work, passes }, children });
    let reconcile = |release, tuned| Box::pin(reconcile(release, tuned));
    let config = Config::default().concurrency(16);
    applier(reconcile, give_up, tuned, reader, queue, config).for_each(|_| ready(())).await;
}
