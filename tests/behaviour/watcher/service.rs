//! The service that the watchers of these tests keep in step, and its kind.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use evenkeel::prelude::*;
use kube::{CustomResource, KubeSchema, Resource, ResourceExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The content that the service stores.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Info", namespaced, status = "InfoStatus")]
pub(crate) struct InfoSpec {
    /// The content.
    pub(crate) text: String,
}

#[status]
pub(crate) struct InfoStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum InfoCondition {
    /// The service has what the spec says.
    #[condition(positive)]
    Sent,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum InfoError {
    /// The service is busy.
    #[error("the service is busy")]
    #[class(transient)]
    Busy,
    /// The service refuses the content.
    #[error("the service refuses it")]
    #[class(stalled)]
    Refused,
}

/// The service. It logs each call, and fails those that a test asks for.
#[derive(Default)]
pub(crate) struct Service {
    calls: Mutex<Vec<String>>,
    failing: Mutex<BTreeMap<String, (u32, bool)>>,
}

impl Service {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The next `times` calls of the method fail; `is_final`: with an error that is not retried.
    pub(crate) fn fail(&self, method: &str, times: u32, is_final: bool) {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner).insert(method.to_owned(), (times, is_final));
    }

    /// The calls so far.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Logs a call, and fails it if a test asked for that.
    pub(crate) fn called(&self, method: &str, text: &str) -> Result<(), InfoError> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{method} {text}"));
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match failing.get_mut(method) {
            Some((left, is_final)) if *left > 0 => {
                *left -= 1;
                Err(if *is_final { InfoError::Refused } else { InfoError::Busy })
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn info(name: &str, text: &str) -> Value {
    json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Info", "metadata": { "name": name }, "spec": { "text": text } })
}

/// The name and the content, as the service logs them.
pub(crate) fn text(info: &Info) -> String {
    format!("{}={}", info.name_any(), info.spec.text)
}

/// Keeps the service in step.
#[derive(Clone)]
pub(crate) struct Infos {
    pub(crate) service: Arc<Service>,
}

#[watcher(conditions = InfoCondition, sets(on::Sent))]
impl Infos {
    async fn add(&self, info: &Info, _cx: &mut Cx) -> Result<(), InfoError> {
        self.service.called("add", &text(info))
    }

    async fn update(&self, old: &Info, info: &Info, cx: &mut Cx) -> Result<(), InfoError> {
        let tries = cx.tries();
        self.service.called("update", &format!("{} {} {tries}", old.spec.text, text(info)))
    }

    async fn sync(&self, info: &Info) -> Result<(), InfoError> {
        self.service.called("sync", &text(info))
    }

    async fn delete(&self, info: &Info) -> Result<(), InfoError> {
        self.service.called("delete", &text(info))
    }
}

/// The same as one function, which leaves unchanged objects alone after a restart.
#[watcher(conditions = InfoCondition, sets(on::Sent), on(generation), settled)]
pub(crate) async fn events(event: Event<'_, Info>, service: &Arc<Service>, _cx: &mut Cx) -> Result<(), InfoError> {
    match event {
        Event::Updated { old, now } => service.called("UPDATE", &format!("{} {}", old.spec.text, text(now))),
        other => service.called(other.action(), &text(other.object())),
    }
}

/// A watcher without a trace in the cluster.
pub(crate) struct Directory {
    pub(crate) service: Arc<Service>,
}

#[watcher(plain)]
impl Directory {
    async fn sync(&self, info: &Info) -> Result<(), Infallible> {
        let _ = self.service.called("sync", &text(info));
        Ok(())
    }

    async fn delete(&self, info: &Info) -> Result<(), Infallible> {
        let _ = self.service.called("delete", &text(info));
        Ok(())
    }
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &impl Resource) -> Vec<&str> {
    object.finalizers().iter().map(String::as_str).collect()
}
