//! Watches of CRDs, one per kind. While a CRD does not fit, the reconcilers of its kind are paused.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject};
use kube::core::ApiResource;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Client, Error};
use serde_json::Value;
use tokio::task::JoinSet;

use super::crd_check::Expected;
use crate::backoff::Backoff;
use crate::lock::Mutex;
use crate::queue::pause::Pause;
use crate::task::task;

/// Back-off of a failing watch.
const PAUSES: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(60) };
/// The delay if the role does not allow the watch: only a change of the role fixes this.
const REFUSED: Duration = Duration::from_secs(600);
/// How long the API server may take to serve a changed CRD.
const SETTLES: Duration = Duration::from_secs(1);

/// A reconciler that depends on a CRD.
pub(super) struct Dependent {
    pub(super) expected: Expected,
    pub(super) pause: Pause,
    /// Enqueues all objects.
    pub(super) enqueue_all: Box<dyn Fn() + Send + Sync>,
}

/// The CRDs of an operator. Clones share one map.
#[derive(Clone, Default)]
pub(super) struct Definitions(Arc<Mutex<HashMap<String, Vec<Dependent>>>>);

impl Definitions {
    /// Adds a reconciler. Call it before [`start`](Self::start).
    pub(super) fn join(&self, dependent: Dependent) {
        let mut all = self.0.lock();
        all.entry(dependent.expected.name()).or_default().push(dependent);
    }

    /// Starts the watches. They end when the set is dropped.
    pub(super) fn start(&self, client: &Client) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let all = std::mem::take(&mut *self.0.lock());
        for (name, dependents) in all {
            tasks.spawn(task(follow(client.clone(), name, dependents)));
        }
        tasks
    }
}

async fn follow(client: Client, name: String, dependents: Vec<Dependent>) {
    let api: Api<DynamicObject> = Api::all_with(client, &ApiResource::erase::<CustomResourceDefinition>(&()));
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let mut events = pin!(watcher(api, config));
    let (mut failures, mut is_logged) = (0, false);
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Apply(definition) | Event::InitApply(definition)) => judge(&definition.data, &dependents).await,
            Ok(Event::InitDone) => failures = 0,
            Ok(Event::Init | Event::Delete(_)) => {}
            Err(error) if is_refused(&error) => {
                if !std::mem::replace(&mut is_logged, true) {
                    tracing::info!(
                        crd = name,
                        "the role does not allow watching the CRD, so changes to it are noticed only on status \
                        writes only; grant get, list, watch on customresourcedefinitions.apiextensions.k8s.io"
                    );
                }
                tokio::time::sleep(REFUSED).await;
            }
            Err(error) => {
                tracing::debug!(%error, crd = name, "the watch of the CRD failed; retrying");
                tokio::time::sleep(PAUSES.delay(failures)).await;
                failures = failures.saturating_add(1);
            }
        }
    }
}

/// Pauses the reconcilers that the CRD does not fit. Resumes the others after the server has had time to serve the CRD.
async fn judge(definition: &Value, dependents: &[Dependent]) {
    let mut fits = Vec::new();
    for dependent in dependents {
        match dependent.expected.check(definition) {
            Err(error) => dependent.stop(&error.to_string()),
            Ok(()) if dependent.pause.is_on() => fits.push(dependent),
            Ok(()) => {}
        }
    }
    if fits.is_empty() {
        return;
    }
    tokio::time::sleep(SETTLES).await;
    fits.into_iter().for_each(Dependent::resume);
}

impl Dependent {
    fn stop(&self, error: &str) {
        if self.pause.begin(&error.replace("\n  help: ", "; ")) {
            let (reconciler, crd) = (self.expected.wiring.name, self.expected.name());
            tracing::error!(reconciler, crd, %error, "the installed CRD does not fit; no pass starts until it does");
        }
    }

    /// Runs the body of each object, since the API server may have dropped fields that the old CRD did not have.
    fn resume(&self) {
        (self.enqueue_all)();
        if self.pause.end() {
            tracing::info!(
                reconciler = self.expected.wiring.name,
                crd = self.expected.name(),
                "the installed CRD fits again"
            );
        }
    }
}

fn is_refused(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(Error::Api(status))
        | watcher::Error::WatchStartFailed(Error::Api(status))
        | watcher::Error::WatchFailed(Error::Api(status)) => matches!(status.code, 401 | 403),
        watcher::Error::WatchError(status) => matches!(status.code, 401 | 403),
        _ => false,
    }
}
