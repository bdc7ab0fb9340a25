//! The daemons of one reconciler: which objects have running ones, and for which spec.

mod supervise;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

pub(super) use self::supervise::DaemonSetup;
use self::supervise::{Task, supervise};
use crate::lock::{Mutex, MutexGuard};
use crate::pipeline::object::Object;
use crate::queue::{Key, KeyMap, Next};
use crate::task::task_in;
use crate::wiring::DaemonHandler;

/// How long a pass waits for a stopped daemon. It ends at its next await, so only one that blocks its thread takes longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The daemons of one reconciler.
pub(super) struct Daemons {
    handlers: &'static [DaemonHandler],
    setup: Arc<DaemonSetup>,
    running: Mutex<KeyMap<Running>>,
}

/// The daemons of one object. Dropping them stops them.
struct Running {
    version: Version,
    tasks: Vec<AbortOnDropHandle<()>>,
}

/// What a daemon is started for: a change stops it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    uid: String,
    generation: Option<i64>,
    /// The hash of the content of a kind without a status of ours.
    content: Option<u64>,
}

impl Version {
    fn of(object: &Object) -> Self {
        Self { uid: object.uid().to_owned(), generation: object.meta().generation, content: object.content(None) }
    }
}

impl Daemons {
    pub(super) fn new(setup: DaemonSetup) -> Self {
        let handlers = setup.reconciler.wiring().daemons;
        Self { handlers, setup: Arc::new(setup), running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, KeyMap<Running>> {
        self.running.lock()
    }

    /// Starts the daemons of the object, unless they run for this version of it.
    pub(super) fn start(&self, key: &Key, object: &Arc<Object>, about: impl FnOnce() -> ObjectReference) {
        if self.handlers.is_empty() || self.setup.stop.is_cancelled() {
            return;
        }
        let (mut running, version) = (self.running(), Version::of(&**object));
        if running.get(key).is_some_and(|running| running.version == version) {
            return;
        }
        let about = about();
        let tasks = self.handlers.iter().map(|handler| self.spawn(handler, key, object, &about)).collect();
        running.insert(key.clone(), Running { version, tasks });
    }

    fn spawn(
        &self,
        handler: &'static DaemonHandler,
        key: &Key,
        object: &Arc<Object>,
        about: &ObjectReference,
    ) -> AbortOnDropHandle<()> {
        let name = self.setup.reconciler.wiring().name;
        let span = tracing::info_span!("daemon", reconciler = name, object = %key, daemon = handler.step.name);
        let (setup, stop) = (self.setup.clone(), self.setup.stop.clone());
        let daemon = Task { setup, handler, key: key.clone(), object: object.clone(), about: about.clone() };
        let run = async move { stop.run_until_cancelled(supervise(daemon)).await.unwrap_or_default() };
        AbortOnDropHandle::new(tokio::spawn(task_in(span, run)))
    }

    /// Stops the daemons of the object, which end at their next await.
    pub(super) fn drop_of(&self, key: &Key) {
        if !self.handlers.is_empty() {
            self.running().remove(key);
        }
    }

    /// Stops the daemons of the object and waits for their end.
    ///
    /// # Errors
    /// One has not ended in time.
    pub(super) async fn stop(&self, key: &Key) -> Result<(), Next> {
        if self.handlers.is_empty() {
            return Ok(());
        }
        let removed = self.running().remove(key);
        let Some(Running { version, mut tasks }) = removed else { return Ok(()) };
        tasks.iter().for_each(AbortOnDropHandle::abort);
        let end = async {
            for task in &mut tasks {
                // An aborted task has no result.
                let _ = task.await;
            }
        };
        if timeout(PATIENCE, end).await.is_ok() {
            return Ok(());
        }
        tasks.retain(|task| !task.is_finished());
        tracing::warn!("a daemon blocks its thread and has not ended within {PATIENCE:?}; the pass waits for it");
        self.running().insert(key.clone(), Running { version, tasks });
        Err(Next::Retry { progressed: false, at_least: None })
    }

    /// The same if they run for another version of the object.
    ///
    /// # Errors
    /// One has not ended in time.
    pub(super) async fn stop_outdated(&self, key: &Key, object: &Object) -> Result<(), Next> {
        let is_outdated = |running: &Running| running.version != Version::of(object);
        match !self.handlers.is_empty() && self.running().get(key).is_some_and(is_outdated) {
            true => self.stop(key).await,
            false => Ok(()),
        }
    }
}
