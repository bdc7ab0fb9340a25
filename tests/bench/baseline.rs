//! The controllers that are written by hand: as kube's examples show it, and as somebody writes it who knows the costs.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use kube::runtime::controller::{Action, Config, Controller, applier, trigger_self};
use kube::runtime::{WatchStreamExt, predicates, reflector, watcher};
use kube::{Api, Client, ResourceExt};

use crate::kind::{NAMESPACE, Release};

/// Finds that there is nothing to do.
async fn reconcile(release: Arc<Release>, _: Arc<()>) -> Result<Action, Infallible> {
    std::hint::black_box(&release.spec.revision);
    Ok(Action::requeue(Duration::from_secs(7 * 24 * 3600)))
}

fn give_up(_: Arc<Release>, error: &Infallible, _: Arc<()>) -> Action {
    match *error {}
}

/// The shape of kube's examples.
pub(crate) async fn b0(client: Client) {
    let api = Api::<Release>::namespaced(client, NAMESPACE);
    let controller = Controller::new(api, watcher::Config::default());
    controller.run(reconcile, give_up, Arc::new(())).for_each(|_| ready(())).await;
}

/// Tuned: nothing is kept that is not read, only a new generation counts, and at most 16 are worked on at a time.
pub(crate) async fn b1(client: Client) {
    let api = Api::<Release>::namespaced(client, NAMESPACE);
    let (reader, writer) = reflector::store();
    let events = watcher(api, watcher::Config::default())
        .default_backoff()
        .modify(|release: &mut Release| {
            release.managed_fields_mut().clear();
            release.annotations_mut().remove("kubectl.kubernetes.io/last-applied-configuration");
        })
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation, Default::default());
    let queue = Box::pin(trigger_self(events, ()));
    let config = Config::default().concurrency(16);
    let reconcile = |release, context| Box::pin(reconcile(release, context));
    applier(reconcile, give_up, Arc::new(()), reader, queue, config).for_each(|_| ready(())).await;
}
