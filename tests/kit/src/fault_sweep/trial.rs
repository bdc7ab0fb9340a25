//! One run of a scenario.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use kube::Client;
use tokio::task::JoinHandle;

use super::client;
use super::external_state::ExternalState;
use super::injection_point::{Plan, Point, message};
use super::interceptor::Interceptor;
use crate::cluster::Cluster;

/// Time before an operator that ended is started again.
const AGAIN: Duration = Duration::from_secs(1);

/// One run of a scenario: an empty cluster, an empty outside, and the operator under test. Clones are one trial.
#[derive(Clone, Debug)]
pub struct Trial {
    cluster: Cluster,
    external: ExternalState,
    interceptor: Arc<Interceptor>,
    down: Duration,
    running: Arc<Mutex<Vec<JoinHandle<()>>>>,
    complaint: Arc<Mutex<Option<String>>>,
}

impl Trial {
    pub(super) async fn start(plan: Option<Plan>, down: Duration, read_timeout: Option<Duration>) -> Self {
        let interceptor = Arc::new(Interceptor::new(plan, read_timeout));
        Self {
            cluster: Cluster::start().await,
            external: ExternalState::intercepted(&interceptor),
            interceptor,
            down,
            running: Arc::default(),
            complaint: Arc::default(),
        }
    }

    /// The cluster.
    #[must_use]
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A client for the scenario itself, as a user has it: its calls are no points, and never fail.
    #[must_use]
    pub fn client(&self) -> Client {
        self.cluster.client()
    }

    /// The world outside of the cluster, for the operator.
    #[must_use]
    pub fn external(&self) -> ExternalState {
        self.external.clone()
    }

    /// Starts the operator under test, with a client whose calls are points. After a crash, and when it ends, it is started again
    /// with another client, as a pod is: what it kept in memory is gone, if the closure makes it anew.
    pub fn operate<F, Fut>(&self, operator: F)
    where
        F: Fn(Client) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Send> + Send + 'static,
    {
        let trial = self.clone();
        let task = tokio::spawn(async move {
            loop {
                let pause = trial.live(&operator).await;
                tokio::time::sleep(pause).await;
            }
        });
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    /// One life of the operator; returns how long it stays down.
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
                // Tasks of the old life that go on must not write any more.
                self.interceptor.crash();
                self.down
            }
            Some(ended) => {
                if let Err(panic) = ended {
                    self.complain(format!("the operator panics: {}", message(&*panic)));
                }
                AGAIN
            }
        }
    }

    fn complain(&self, why: String) {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    pub(super) fn complaint(&self) -> Option<String> {
        self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn visited(&self) -> (Vec<Point>, usize) {
        self.interceptor.visited()
    }

    pub(super) fn was_injected(&self) -> bool {
        self.interceptor.was_injected()
    }

    /// Ends the operator.
    pub(super) async fn stop(self) {
        let tasks = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            task.abort();
            // Aborted, or ended by a panic that was told already.
            let _ = task.await;
        }
    }
}
