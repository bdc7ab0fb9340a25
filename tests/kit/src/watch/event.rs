//! The events of a watch: which event a change causes for a client, and its serialization.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use crate::api_error::Failure;
use crate::content_negotiation::{Place, Shape, View};
use crate::counters::Tally;
use crate::response::encoded;
use crate::selector::Selector;
use crate::served_version::Lens;
use crate::store::{Change, Scope, stamped};
use crate::table::{Heads, Printer};

/// Selection and serialization of the events of one watch.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    pub(super) shape: Shape,
    /// Prints table rows, if the client requests tables.
    printer: Option<Printer>,
    heads: Heads,
    pub(super) lens: Lens,
    pub(super) selector: Selector,
    pub(super) scope: Scope,
    tally: Arc<Tally>,
}

/// Whether a bookmark marks the end of the initial events.
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
    pub(super) fn new(shape: Shape, lens: Lens, selector: Selector, scope: Scope, tally: &Arc<Tally>) -> Self {
        let printer = match shape {
            Shape::Table(form) => Some(Printer::new(&lens.kind, form)),
            _ => None,
        };
        Frames { shape, printer, heads: Heads::Shown, lens, selector, scope, tally: Arc::clone(tally) }
    }

    pub(super) fn selects(&self, object: &Value) -> bool {
        if self.selector.is_empty() {
            return true;
        }
        self.tally.evaluated.add(1);
        self.selector.matches(object, &self.lens.kind)
    }

    /// Returns the line for a change in the scope, or `None` if the selector does not match.
    pub(super) fn change(&mut self, change: &Change) -> Option<Bytes> {
        self.tally.considered.add(1);
        let selected = |object: &Option<Arc<Value>>| object.as_ref().filter(|object| self.selects(object)).cloned();
        let (old, new) = (selected(&change.old), selected(&change.new));
        match (old, new) {
            (None, None) => None,
            (None, Some(new)) => self.line("ADDED", &new),
            (Some(_), Some(new)) => self.line("MODIFIED", &new),
            (Some(old), None) => match &change.gone {
                Some(gone) => self.line("DELETED", gone),
                // The object no longer matches the selector: the event contains its old state, at the version of the change.
                None => self.line("DELETED", &stamped(Value::clone(&old), change.version)),
            },
        }
    }

    pub(super) fn line(&mut self, type_: &str, object: &Value) -> Option<Bytes> {
        self.tally.delivered.add(1);
        written(self.shape, self.printer.as_ref(), &mut self.heads, type_, &self.lens.shown(object))
    }

    /// Returns the line of a bookmark, which contains only type and resource version.
    pub(super) fn bookmark(&mut self, version: u64, marker: Marker) -> Option<Bytes> {
        let mut object = json!({
            "kind": self.lens.kind.kind, "apiVersion": self.lens.kind.api_version(),
            "metadata": {"resourceVersion": version.to_string()},
        });
        if marker == Marker::InitialEnd {
            object["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        written(self.shape, self.printer.as_ref(), &mut self.heads, "BOOKMARK", &object)
    }
}

/// Serializes an event in the requested form. A table contains the column definitions only in the first event.
fn written(shape: Shape, printer: Option<&Printer>, heads: &mut Heads, type_: &str, object: &Value) -> Option<Bytes> {
    match printer {
        None => terminated(&Line { type_, object: View { shape, object, place: Place::Typed } }),
        Some(printer) => {
            let heads = std::mem::replace(heads, Heads::Known);
            terminated(&Line { type_, object: printer.single(object, heads) })
        }
    }
}

/// Returns the line of an error, which is the last line of the stream.
pub(super) fn error(failure: &Failure) -> Option<Bytes> {
    terminated(&Line { type_: "ERROR", object: failure.to_status() })
}

fn terminated(line: &impl Serialize) -> Option<Bytes> {
    let mut bytes = encoded(line).ok()?.to_vec();
    bytes.push(b'\n');
    Some(bytes.into())
}
