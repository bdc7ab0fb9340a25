//! Computes the next statuses and the served kinds from the stored CRDs.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::condition::{APPROVED, Condition, ESTABLISHED, NAMES_ACCEPTED, holds, set};
use super::field::text;
use super::kinds;
use super::names::{Taken, accept};
use crate::registry::Kind;

/// The result of one evaluation of all CRDs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Published {
    /// The CRDs whose status changes, by name, with the new status. If it is empty, nothing changes any more.
    pub statuses: Vec<(String, Value)>,
    /// The kinds to serve once these statuses are stored: those of every Established CRD.
    pub kinds: Vec<Kind>,
}

/// Advances every CRD by one step: first its names are accepted, then it becomes Established.
///
/// Call it again with the stored results until `statuses` is empty. A new CRD is Established after two steps, as watchers of an API
/// server observe it.
///
/// Serve `kinds` before storing `statuses`, since clients send requests as soon as Established is True.
#[must_use]
pub fn publish(all: &[Arc<Value>], now: Timestamp) -> Published {
    let mut given = given(all);
    let mut out = Published { statuses: Vec::new(), kinds: Vec::new() };
    for crd in all {
        let status = step(crd, &given, now);
        let mut next = Value::clone(crd);
        next["status"] = status;
        out.kinds.extend(kinds::of(&next));
        if next["status"] != crd["status"] {
            out.statuses.push((text(crd, "/metadata/name").to_owned(), next["status"].clone()));
        }
        given.insert(name(crd), (text(crd, "/spec/group").to_owned(), next["status"].take()));
    }
    out
}

/// Group and next status by CRD name.
type Statuses = HashMap<String, (String, Value)>;

fn given(all: &[Arc<Value>]) -> Statuses {
    all.iter().map(|crd| (name(crd), (text(crd, "/spec/group").to_owned(), crd["status"].clone()))).collect()
}

fn name(crd: &Value) -> String {
    text(crd, "/metadata/name").to_owned()
}

fn step(crd: &Value, given: &Statuses, now: Timestamp) -> Value {
    let mut status = crd["status"].clone();
    let (names, accepted) = accept(crd, &taken_by_others(crd, given));
    let established = established(crd, &accepted);
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    set(&mut conditions, &accepted, now);
    if let Some(established) = established {
        set(&mut conditions, &established, now);
    }
    if let Some(approved) = approved(crd) {
        set(&mut conditions, &approved, now);
    }
    status["conditions"] = json!(conditions);
    status["acceptedNames"] = names;
    status
}

fn taken_by_others(crd: &Value, given: &Statuses) -> Taken {
    let (own, group) = (text(crd, "/metadata/name"), text(crd, "/spec/group"));
    let mut taken = Taken::default();
    for (_, (_, status)) in given.iter().filter(|(name, (of, _))| *name != own && of == group) {
        taken.add(status);
    }
    taken
}

/// The next Established condition; `None` if it is already True, since it never becomes False again.
fn established(crd: &Value, accepted: &Condition) -> Option<Condition> {
    if holds(crd, ESTABLISHED) {
        None
    } else if !accepted.holds {
        Some(Condition::unmet(ESTABLISHED, "NotAccepted", "not all names are accepted"))
    } else if holds(crd, NAMES_ACCEPTED) {
        Some(Condition::met(ESTABLISHED, "InitialNamesAccepted", "the initial names have been accepted"))
    } else {
        Some(Condition::unmet(ESTABLISHED, "Installing", "the initial names have been accepted"))
    }
}

/// The approval condition of a CRD in a group of the Kubernetes project; `None` in any other group.
fn approved(crd: &Value) -> Option<Condition> {
    if !kinds::is_protected(text(crd, "/spec/group")) {
        return None;
    }
    let note = text(crd, "/metadata/annotations/api-approved.kubernetes.io");
    if note.starts_with("unapproved") {
        Some(Condition::unmet(APPROVED, "UnapprovedAnnotation", format!("not approved: {note:?}")))
    } else {
        Some(Condition::met(APPROVED, "ApprovedAnnotation", format!("approved in {note}")))
    }
}
