//! The events of an object.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::api::{DynamicObject, ListParams};
use kube::{Api, Client};
use serde::Serialize;

use super::age::age;
use crate::client::why;

/// How many events are shown.
const MOST: usize = 10;

/// An event of an object.
#[derive(Debug, Serialize)]
pub(super) struct ShownEvent {
    #[serde(rename = "type")]
    type_: String,
    reason: String,
    message: String,
    count: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<Timestamp>,
}

/// The newest events of the object, the newest first.
///
/// # Errors
/// They cannot be read; the text has the cause.
pub(super) async fn events(client: &Client, object: &DynamicObject) -> Result<Vec<ShownEvent>, String> {
    let uid = object.metadata.uid.as_deref().unwrap_or_default();
    // The events of objects without a namespace are in `default`.
    let namespace = object.metadata.namespace.as_deref().unwrap_or("default");
    let params = ListParams::default().fields(&format!("involvedObject.uid={uid}"));
    let found = Api::<Event>::namespaced(client.clone(), namespace).list(&params).await.map_err(|error| why(&error))?;
    let mut events: Vec<ShownEvent> = found.items.into_iter().map(shown).collect();
    events.sort_by_key(|event| std::cmp::Reverse(event.last));
    events.truncate(MOST);
    Ok(events)
}

fn shown(event: Event) -> ShownEvent {
    let series = event.series;
    let last = series.as_ref().and_then(|series| series.last_observed_time.as_ref().map(|time| time.0));
    let last = last.or(event.last_timestamp.map(|time| time.0)).or(event.event_time.map(|time| time.0));
    ShownEvent {
        count: series.and_then(|series| series.count).or(event.count).unwrap_or(1),
        type_: event.type_.unwrap_or_default(),
        reason: event.reason.unwrap_or_default(),
        message: event.message.unwrap_or_default(),
        last,
    }
}

impl ShownEvent {
    pub(super) fn text(&self, now: Timestamp) -> String {
        let times = if self.count > 1 { format!(" x{}", self.count) } else { String::new() };
        let ago = self.last.map_or_else(String::new, |last| format!(", {} ago", age(now, last)));
        format!("  {} {}{times}{ago}: {}\n", self.type_, self.reason, self.message)
    }
}
