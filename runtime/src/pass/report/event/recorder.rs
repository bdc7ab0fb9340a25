//! Sends events to the server: each is created once, then counted in its series.

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::{Event as Stored, EventSeries};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube::runtime::events::{Event, EventType};
use kube::{Client, Error};
use serde_json::json;
use tokio::time::Instant;

use super::MAX_NOTE;
use super::correlator::{Correlation, Correlator, EventKey};
use crate::api::ApiError;
use crate::api::grant::Grant;
use crate::lock::{Mutex, MutexGuard};
use crate::pass::api::request::answered;
use crate::random::uniform;

/// Maximum length of an object's name.
const MAX_NAME: usize = 253;

/// Sends the events of one reconciler.
pub(in crate::pass) struct Recorder {
    client: Client,
    controller: String,
    correlator: Mutex<Correlator>,
}

impl Recorder {
    pub(in crate::pass) fn new(client: Client, controller: &str) -> Self {
        Self { client, controller: controller.to_owned(), correlator: Mutex::default() }
    }

    /// Sends the event, counts it in the series of an equal one, or drops it if there are too many.
    ///
    /// # Errors
    /// The server did not accept it.
    pub(super) async fn send(&self, event: &Event, about: &ObjectReference) -> Result<(), ApiError> {
        let key = EventKey {
            object: about.uid.clone().or_else(|| about.name.clone()).unwrap_or_default(),
            warning: matches!(event.type_, EventType::Warning),
            reason: event.reason.clone(),
            note: event.note.clone().unwrap_or_default(),
        };
        let verdict = self.correlator().judge(key, Instant::now());
        self.write(verdict, event, about).await.map_err(|error| explain(error, about))
    }

    async fn write(&self, verdict: Correlation, event: &Event, about: &ObjectReference) -> Result<(), ApiError> {
        match verdict {
            Correlation::Drop => {
                tracing::debug!(reason = event.reason, "too many events for the object; the event is only counted");
                Ok(())
            }
            Correlation::Create(key) => self.create(event, about, &key).await,
            Correlation::Repeat(key, name, count) => match answered(self.repeat(about, &key, &name, count)).await {
                // The server removes events after an hour or so.
                Err(ApiError::NotFound(_)) => self.create(event, about, &key).await,
                repeated => repeated,
            },
        }
    }

    async fn create(&self, event: &Event, about: &ObjectReference, key: &EventKey) -> Result<(), ApiError> {
        let stored = self.stored(event, about, &key.note);
        let name = stored.metadata.name.clone();
        let created = answered(async { self.api(about).create(&PostParams::default(), &stored).await }).await;
        self.correlator().named(key, name.filter(|_| created.is_ok()));
        created.map(drop)
    }

    /// Counts the event in its series. The patch repeats the unchanged reason for readers of request logs.
    async fn repeat(&self, about: &ObjectReference, key: &EventKey, name: &str, count: i32) -> Result<(), Error> {
        let series = EventSeries { count, last_observed_time: MicroTime(crate::clock::now()) };
        let patch = Patch::Merge(json!({ "reason": key.reason, "series": series }));
        self.api(about).patch(name, &PatchParams::default(), &patch).await.map(drop)
    }

    /// The API for events about the object. Events of a cluster-scoped object are in `default`.
    fn api(&self, about: &ObjectReference) -> Api<Stored> {
        Api::namespaced(self.client.clone(), about.namespace.as_deref().unwrap_or("default"))
    }

    fn stored(&self, event: &Event, about: &ObjectReference, note: &str) -> Stored {
        let now = crate::clock::now();
        let name = event_name(about.name.as_deref().unwrap_or(&self.controller), unique(now.as_nanosecond()));
        Stored {
            action: Some(event.action.clone()),
            reason: Some(event.reason.clone()),
            event_time: Some(MicroTime(now)),
            regarding: Some(about.clone()),
            related: event.secondary.clone(),
            note: Some(super::cut(note, MAX_NOTE).to_owned()).filter(|note| !note.is_empty()),
            metadata: ObjectMeta { namespace: about.namespace.clone(), name: Some(name), ..ObjectMeta::default() },
            reporting_controller: Some(self.controller.clone()),
            reporting_instance: Some(self.controller.clone()),
            type_: Some(if matches!(event.type_, EventType::Normal) { "Normal" } else { "Warning" }.into()),
            ..Stored::default()
        }
    }

    fn correlator(&self) -> MutexGuard<'_, Correlator> {
        self.correlator.lock()
    }
}

/// Adds the missing RBAC rule to the error, if that is the cause.
fn explain(error: ApiError, about: &ObjectReference) -> ApiError {
    let resource = ApiResource::erase::<Stored>(&());
    let namespace = about.namespace.as_deref().or(Some("default"));
    Grant { verbs: &["create", "patch"], resource: &resource, subresource: None, namespace }.explain(error)
}

/// The time plus a random part of a second: two reconcilers can record events about one object at the same time, and an equal name would
/// lose one.
fn unique(nanoseconds: i128) -> i128 {
    nanoseconds + (uniform() * 1e9) as i128
}

/// The name of an event: object name and time, within the length limit.
fn event_name(object: &str, nanoseconds: i128) -> String {
    let time = format!(".{nanoseconds:x}");
    let object = super::cut(object, MAX_NAME - time.len());
    format!("{}{time}", object.trim_end_matches(['.', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_the_same_time_have_different_names() {
        let names: std::collections::HashSet<_> = (0..20).map(|_| event_name("w", unique(255))).collect();
        assert_eq!(names.len(), 20);
    }

    #[test]
    fn event_names_are_truncated_to_the_limit() {
        assert_eq!(event_name("w", 255), "w.ff");
        let long = event_name(&format!("{}-.{}", "x".repeat(234), "y".repeat(17)), 0x1843_3a9c_0a0b_1c2d);
        assert_eq!((long.len(), &long[233..]), (251, "x.18433a9c0a0b1c2d"));
    }
}
