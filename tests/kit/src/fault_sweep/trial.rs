//! One run of the scenario of a sweep.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use kube::Client;
use tokio::task::JoinSet;

use super::client;
use super::external_state::ExternalState;
use super::injection_point::{Plan, Point, message};
use super::interceptor::Interceptor;
use super::sdk_calls::SdkCalls;
use crate::cluster::Cluster;
use crate::lock::Mutex;

/// The delay before an operator that returned or panicked is restarted.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// One run of a scenario.
///
/// It starts with an empty cluster, an empty [`ExternalState`] and no operator. Clones share all of them.
#[derive(Clone, Debug)]
pub struct Trial {
    cluster: Cluster,
    external: ExternalState,
    interceptor: Arc<Interceptor>,
    down: Duration,
    running: Arc<Mutex<JoinSet<()>>>,
    failure: Arc<Mutex<Option<String>>>,
}

impl Trial {
    pub(super) async fn start(plan: Option<Plan>, down: Duration, read_timeout: Option<Duration>) -> Self {
        let interceptor = Arc::new(Interceptor::new(plan, read_timeout));
        Self {
            cluster: Cluster::start().await,
            external: ExternalState::intercepted(SdkCalls::intercepted(&interceptor)),
            interceptor,
            down,
            running: Arc::default(),
            failure: Arc::default(),
        }
    }

    /// Returns the cluster of this trial.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns a client for the scenario itself, which acts as a user.
    ///
    /// Its calls are not injection points and are never disrupted.
    #[must_use]
    pub fn client(&self) -> Client {
        self.cluster.client()
    }

    /// Returns the external system, for the operator and for the scenario.
    #[must_use]
    pub fn external(&self) -> ExternalState {
        self.external.clone()
    }

    /// Returns the wrapper that makes calls of an SDK injection points.
    #[must_use]
    pub fn sdk_calls(&self) -> SdkCalls {
        SdkCalls::intercepted(&self.interceptor)
    }

    /// Starts the operator under test with a client whose calls are injection points.
    ///
    /// The operator is restarted with a new client after a crash, and also when its future completes, as a pod would be.
    /// The closure must create all in-memory state itself, so that a restart loses it.
    pub fn operate<F, Fut>(&self, operator: F)
    where
        F: Fn(Client) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Send> + Send + 'static,
    {
        let trial = self.clone();
        self.running.lock().spawn(async move {
            loop {
                let pause = trial.live(&operator).await;
                tokio::time::sleep(pause).await;
            }
        });
    }

    /// Runs the operator until it ends. Returns the delay before its restart.
    async fn live<F, Fut>(&self, operator: &F) -> Duration
    where
        F: Fn(Client) -> Fut,
        Fut: Future,
    {
        let life = self.interceptor.life();
        let client = client::intercepted(self.cluster.server(), "default", &self.interceptor, life);
        let mut work = pin!(AssertUnwindSafe(operator(client)).catch_unwind());
        let mut dropped = false;
        let watched = poll_fn(|context| {
            dropped = self.interceptor.drops();
            if dropped { Poll::Ready(None) } else { work.as_mut().poll(context).map(Some) }
        });
        let ended = tokio::select! {
            biased;
            () = self.interceptor.crashed(life) => return self.down,
            ended = watched => ended,
        };
        match ended {
            None => {
                // Tasks that the operator spawned must not write any more.
                self.interceptor.crash();
                self.down
            }
            Some(ended) => {
                if let Err(panic) = ended {
                    self.set_failure(format!("the operator panicked: {}", message(&*panic)));
                }
                RESTART_DELAY
            }
        }
    }

    fn set_failure(&self, why: String) {
        self.failure.lock().get_or_insert(why);
    }

    /// Returns the first panic of the operator.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    pub(super) fn visited(&self) -> (Vec<Point>, usize) {
        self.interceptor.visited()
    }

    pub(super) fn was_injected(&self) -> bool {
        self.interceptor.was_injected()
    }

    /// Stops the operator.
    pub(super) async fn stop(self) {
        let mut tasks = std::mem::take(&mut *self.running.lock());
        tasks.shutdown().await;
    }
}
