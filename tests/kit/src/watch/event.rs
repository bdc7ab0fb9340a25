//! The lines of a watch: which event a change is to this watcher, and how it is written.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::lens::Lens;
use crate::respond::encoded;
use crate::selector::Selector;
use crate::shape::{Place, Shape, View};
use crate::store::{Change, stamped};

/// What a watcher sees of its resource.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    pub(super) shape: Shape,
    pub(super) lens: Lens,
    pub(super) selector: Selector,
    pub(super) namespace: Option<String>,
}

/// Whether a bookmark ends the initial events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Plain,
    InitialEnd,
}

#[derive(Serialize)]
struct Line<'a, T: Serialize> {
    #[serde(rename = "type")]
    type_: &'a str,
    object: T,
}

impl Frames {
    pub(super) fn selects(&self, object: &Value) -> bool {
        self.selector.matches(object, &self.lens.kind)
    }

    /// The line for a change; none when the watcher does not see it.
    pub(super) fn change(&self, change: &Change) -> Option<Bytes> {
        if self.namespace.as_ref().is_some_and(|namespace| *namespace != change.key.0) {
            return None;
        }
        let selected = |object: &Option<Arc<Value>>| object.as_ref().filter(|object| self.selects(object)).cloned();
        match (selected(&change.old), selected(&change.new)) {
            (None, None) => None,
            (None, Some(new)) => self.line("ADDED", &new),
            (Some(_), Some(new)) => self.line("MODIFIED", &new),
            (Some(old), None) => match &change.gone {
                Some(gone) => self.line("DELETED", gone),
                // It left the selection: the watcher sees what it knew, at the version of the change.
                None => self.line("DELETED", &stamped(Value::clone(&old), change.version)),
            },
        }
    }

    pub(super) fn line(&self, type_: &str, object: &Value) -> Option<Bytes> {
        let object = self.lens.shown(object);
        terminated(&Line { type_, object: View { shape: self.shape, object: &object, place: Place::Typed } })
    }

    /// A bookmark: nothing but type and version.
    pub(super) fn bookmark(&self, version: u64, marker: Marker) -> Option<Bytes> {
        let mut object = json!({
            "kind": self.lens.kind.kind, "apiVersion": self.lens.kind.api_version(),
            "metadata": {"resourceVersion": version.to_string()},
        });
        if marker == Marker::InitialEnd {
            object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        terminated(&Line {
            type_: "BOOKMARK",
            object: View { shape: self.shape, object: &object, place: Place::Typed },
        })
    }
}

/// The line of an error, after which the stream ends.
pub(super) fn error(failure: &Failure) -> Option<Bytes> {
    terminated(&Line { type_: "ERROR", object: failure.to_status() })
}

fn terminated(line: &impl Serialize) -> Option<Bytes> {
    let mut bytes = encoded(line).ok()?.to_vec();
    bytes.push(b'\n');
    Some(bytes.into())
}
