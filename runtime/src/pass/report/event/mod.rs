//! Kubernetes events: at most one per transition of an object. Equal events are counted, and the number per object is limited.

mod correlator;
mod recorder;

use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::core::Status;
use kube::runtime::events::{Event, EventType};

use crate::api::ApiError;
use crate::condition::{Condition, sanitize};
use crate::outcome::reporting::EventLevel;
use crate::pipeline::hook::Event as Announced;
use crate::pipeline::state::DesiredStatus;

pub(in crate::pass) use self::recorder::Recorder;

/// Maximum length of a note that the server accepts (events.k8s.io/v1: 1 kB).
const MAX_NOTE: usize = 1024;

/// Whether the summary changed in status or reason, or the object became stalled or is no longer stalled.
pub(in crate::pass) fn is_transition(before: &DesiredStatus, after: &DesiredStatus) -> bool {
    let (was, is) = (summary(before), summary(after));
    is.is_some_and(|is| !was.is_some_and(|was| same(was, is))) || stalled(before) != stalled(after)
}

/// An event with its note on one line, truncated to [`MAX_NOTE`].
pub(in crate::pass) fn event(type_: EventType, reason: &str, note: &str) -> Event {
    Event {
        type_,
        reason: reason.to_owned(),
        note: Some(cut(&sanitize(note), MAX_NOTE).to_owned()).filter(|note| !note.is_empty()),
        action: "Reconcile".into(),
        secondary: None,
    }
}

/// The event in the form that is sent; `None` for [`EventLevel::None`].
pub(in crate::pass) fn to_send(announced: &Announced) -> Option<Event> {
    let type_ = match announced.level {
        EventLevel::None => return None,
        EventLevel::Normal => EventType::Normal,
        EventLevel::Warning => EventType::Warning,
    };
    Some(event(type_, &announced.reason, &announced.note))
}

/// Truncates the text to a number of bytes, at a character boundary.
fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most).last();
    &text[..end.unwrap_or(0)]
}

fn summary(status: &DesiredStatus) -> Option<&Condition> {
    status.ready()
}

fn stalled(status: &DesiredStatus) -> bool {
    status.is_stalled()
}

fn same(a: &Condition, b: &Condition) -> bool {
    a.status == b.status && a.reason == b.reason
}

/// Publishes the events in order. A failure is logged and otherwise ignored.
pub(in crate::pass) async fn publish(recorder: Arc<Recorder>, events: Vec<(Event, ObjectReference)>) {
    for (event, about) in events {
        let Err(error) = recorder.send(&event, &about).await else { continue };
        if is_in_ending_namespace(&error) {
            tracing::debug!(%error, reason = event.reason, "the namespace of the object is being deleted; the event is dropped");
        } else {
            tracing::warn!(%error, reason = event.reason, "the event was not recorded; does the role allow create and patch on events.events.k8s.io?");
        }
    }
}

/// Whether the namespace of the event is being deleted, or is gone.
fn is_in_ending_namespace(error: &ApiError) -> bool {
    let is_gone = |status: &Status| {
        status.code == 404 && status.details.as_ref().is_some_and(|details| details.kind == "namespaces")
    };
    error.is_namespace_terminating() || error.status().is_some_and(is_gone)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_dropped_only_if_its_namespace_ends() {
        let ends = |code: u16, details: serde_json::Value| {
            let status =
                json!({ "status": "Failure", "code": code, "reason": "x", "message": "no", "details": details });
            is_in_ending_namespace(&kube::Error::Api(Box::new(serde_json::from_value(status).unwrap())).into())
        };
        assert!(ends(403, json!({ "name": "e", "kind": "events", "causes": [{ "reason": "NamespaceTerminating" }] })));
        assert!(ends(404, json!({ "name": "a", "kind": "namespaces" })));
        assert!(!ends(403, json!({ "name": "e", "kind": "events" })));
        assert!(!ends(404, json!({ "name": "e", "kind": "events" })));
        assert!(!is_in_ending_namespace(&ApiError::Forbidden("no".into())));
    }
}
