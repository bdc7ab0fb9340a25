//! Both baselines for any kind, with passes that find nothing to do: for the memory of cache and queue.

use std::convert::Infallible;
use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;

use futures::StreamExt;
use kube::core::{NamespaceResourceScope, PartialObjectMeta};
use kube::runtime::controller::{Action, Config, Controller, applier, trigger_self};
use kube::runtime::reflector::Lookup;
use kube::runtime::{WatchStreamExt, predicates, reflector, watcher};
use kube::{Api, Client, Resource};
use serde::de::DeserializeOwned;

use super::tuned::prune;
use crate::kind::NAMESPACE;

async fn reconcile<K>(object: Arc<K>, _: Arc<()>) -> Result<Action, Infallible> {
    std::hint::black_box(&object);
    Ok(Action::await_change())
}

fn give_up<K>(_: Arc<K>, error: &Infallible, _: Arc<()>) -> Action {
    match *error {}
}

/// B0 of a kind.
pub async fn b0_of<K>(client: Client)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Lookup<DynamicType = ()>,
    K: Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let controller = Controller::new(Api::<K>::namespaced(client, NAMESPACE), watcher::Config::default());
    controller.run(reconcile, give_up, Arc::new(())).for_each(|_| ready(())).await;
}

/// B1 of a kind.
pub async fn b1_of<K>(client: Client)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Lookup<DynamicType = ()>,
    K: Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let (reader, writer) = reflector::store();
    let events = watcher(Api::<K>::namespaced(client, NAMESPACE), watcher::Config::default())
        .default_backoff()
        .modify(prune)
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation, Default::default());
    let queue = Box::pin(trigger_self(events, ()));
    let reconcile = |object, context| Box::pin(reconcile::<K>(object, context));
    let config = Config::default().concurrency(16);
    applier(reconcile, give_up, Arc::new(()), reader, queue, config).for_each(|_| ready(())).await;
}

/// A cache of the metadata of a kind, as received, or pruned.
pub async fn metadata_of<K>(client: Client, pruned: bool)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let (_reader, writer) = reflector::store();
    let api = Api::<PartialObjectMeta<K>>::namespaced(client, NAMESPACE);
    let events = watcher(api, watcher::Config::default()).default_backoff();
    let events = events.modify(move |object| {
        if pruned {
            prune(object);
        }
    });
    events.reflect(writer).for_each(|_| ready(())).await;
}
