//! References from outside of the cluster: each wants a pass for its object.

use std::any::TypeId;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use kube::CustomResourceExt;
use kube::runtime::reflector::ObjectRef;

use super::Operator;
use super::error::{Error, Reason, Result};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{Causes, Key, Queue};
use crate::watch::{Progress, Watching};

/// References that wait for the first list of their namespace, at most; further ones wait in their stream.
const WAITING: usize = 1024;

/// The streams as they were given, until their reconciler takes them.
#[derive(Clone, Default)]
pub(super) struct Triggers(Arc<Mutex<Vec<Trigger>>>);

struct Trigger {
    reconciler: TypeId,
    name: &'static str,
    keys: BoxStream<'static, Key>,
}

impl Operator {
    /// Wants a pass for each object that the stream names: something outside of the cluster changed that its steps look at, and no watch
    /// tells of it. The body runs, whatever the cluster holds. An object that is not there (yet) is no mistake and is left alone.
    ///
    /// The stream is read from the first list of the kind on, so what it says before is not lost; what it says while the operator is
    /// down is, and the requeue interval makes up for it. Its end is the end of the triggers, and of nothing else.
    ///
    /// ```ignore
    /// let pushes = hooks.map(|push| ObjectRef::new(&push.name).within(&push.namespace));
    /// Operator::new("source-controller").reconciler::<git_repository>(git).trigger::<git_repository>(pushes)
    /// ```
    pub fn trigger<R: Reconciler<Object: CustomResourceExt>>(
        self,
        references: impl Stream<Item = ObjectRef<R::Object>> + Send + 'static,
    ) -> Self {
        let keys = references.map(|reference| Key::new(reference.namespace.as_deref(), &reference.name)).boxed();
        let trigger = Trigger { reconciler: TypeId::of::<R>(), name: R::WIRING.name, keys };
        self.triggers.lock().push(trigger);
        self
    }
}

impl Triggers {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Trigger>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each belongs to one of these.
    pub(super) fn check(&self, names: &[&str]) -> Result {
        let Some(name) = self.lock().iter().map(|trigger| trigger.name).find(|name| !names.contains(name)) else {
            return Ok(());
        };
        let cure = "add it with `.reconciler::<..>(..)`, or leave out its `.trigger`";
        Err(Error::new(Reason::Setup, format!("`{name}` has a trigger but is no reconciler here"), cure))
    }

    /// The streams of a reconciler, as one.
    pub(super) fn take(&self, reconciler: TypeId) -> impl Stream<Item = Key> + Send + use<> {
        let of = |trigger: &mut Trigger| trigger.reconciler == reconciler;
        futures::stream::select_all(self.lock().extract_if(.., of).map(|trigger| trigger.keys))
    }
}

/// Queues what the stream names, until it ends. What comes before the first list of its namespace is queued after it.
pub(super) async fn pull(keys: impl Stream<Item = Key> + Send, lists: Vec<Watching>, queue: Queue) {
    let (lists, queue) = (&lists, &queue);
    let pulled = keys.for_each_concurrent(WAITING, |key| async move {
        if is_listed(lists, &key).await {
            queue.add(&key, Causes::TRIGGERED);
        } else {
            tracing::debug!(object = %key, "a trigger names an object of a namespace that is not watched");
        }
    });
    pulled.await;
}

/// Waits for the first list of the namespace. False: it is not watched.
async fn is_listed(lists: &[Watching], key: &Key) -> bool {
    let here = lists.iter().find(|(place, _)| place.namespace.is_none() || place.namespace == key.namespace);
    let Some((_, progress)) = here else { return false };
    progress.clone().wait_for(|progress| *progress == Progress::Listed).await.is_ok()
}
