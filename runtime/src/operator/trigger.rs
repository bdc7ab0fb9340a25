//! External triggers: each reference from a stream enqueues its object.

use std::any::TypeId;
use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};

use super::error::{Error, Reason, Result};
use crate::lock::Mutex;
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{Key, Queue, TriggerSet};
use crate::watch::{Progress, WatchHandle};

/// The maximum number of references that wait for the initial list of their namespace. Further ones stay in their stream.
const WAITING: usize = 1024;

/// The configured streams, until their reconciler takes them.
#[derive(Clone, Default)]
pub(super) struct Triggers(Arc<Mutex<Vec<Trigger>>>);

struct Trigger {
    reconciler: TypeId,
    name: &'static str,
    keys: BoxStream<'static, Key>,
}

impl Triggers {
    /// Adds a stream for the reconciler.
    pub(super) fn add<R: Reconciler>(&self, keys: BoxStream<'static, Key>) {
        self.0.lock().push(Trigger { reconciler: TypeId::of::<R>(), name: R::WIRING.name, keys });
    }

    /// Checks that each stream belongs to one of these reconcilers.
    pub(super) fn check(&self, names: &[&str]) -> Result {
        let Some(name) = self.0.lock().iter().map(|trigger| trigger.name).find(|name| !names.contains(name)) else {
            return Ok(());
        };
        let help = "add it with `.reconciler::<..>(..)`, or leave out its `.trigger`";
        Err(Error::new(Reason::Setup, format!("`{name}` has a trigger but is not a reconciler of this operator"), help))
    }

    /// The streams of a reconciler, merged into one.
    pub(super) fn take(&self, reconciler: TypeId) -> impl Stream<Item = Key> + Send + use<> {
        let of = |trigger: &mut Trigger| trigger.reconciler == reconciler;
        futures::stream::select_all(self.0.lock().extract_if(.., of).map(|trigger| trigger.keys))
    }
}

/// Enqueues the objects from the stream until it ends. Objects in a namespace that is not listed yet are enqueued after its initial list.
pub(super) async fn pull(keys: impl Stream<Item = Key> + Send, lists: Vec<WatchHandle>, queue: Queue) {
    let (lists, queue) = (&lists, &queue);
    let pulled = keys.for_each_concurrent(WAITING, |key| async move {
        if is_listed(lists, &key).await {
            queue.add(&key, TriggerSet::TRIGGERED);
        } else {
            tracing::debug!(object = %key, "a trigger references an object in a namespace that is not watched");
        }
    });
    pulled.await;
}

/// Waits for the initial list of the namespace. Returns false if the namespace is not watched.
async fn is_listed(lists: &[WatchHandle], key: &Key) -> bool {
    let here = lists.iter().find(|(place, _)| place.namespace.is_none() || place.namespace == key.namespace);
    let Some((_, progress)) = here else { return false };
    progress.clone().wait_for(|progress| *progress == Progress::Listed).await.is_ok()
}
