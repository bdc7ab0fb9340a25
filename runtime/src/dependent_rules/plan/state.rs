//! The state of a wanted object. It is computed each time and stored nowhere.

use super::item::Item;
use super::live::{Live, LiveObject};
use crate::dependency::ObjectStatus;
use crate::dependent_rules::manifest::Applied;
use crate::dependent_rules::policy::ReconcilePolicy;

/// The state of a wanted object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State<'a> {
    /// It does not exist.
    Absent,
    /// An object of this name exists and may not be taken over.
    Foreign,
    /// The API server refused the last call for it.
    Refused,
    /// It is not as its manifest.
    Outdated(Change),
    /// Another writer changed a field of the manifest.
    Drifted,
    /// It is being deleted, and is created again when it is gone.
    Terminating,
    /// Its controller is not done. Contains the cause.
    InProgress(&'a str),
    /// Its controller failed. Contains the cause.
    Failed(&'a str),
    /// It is as its manifest, and its controller is done.
    Ready,
    /// It was ready and has to be deleted.
    Purged,
    /// It was ready and is being deleted.
    Purging,
    /// It was ready, and is gone as its purge order says.
    Completed,
}

/// Why an object is not as its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The content of the manifest.
    Content,
    /// Only settings, which do not change what the object does.
    Settings,
    /// It is not known what was applied.
    Unknown,
    /// Nothing, but the interval has passed after which it is applied again.
    Reapply,
}

/// Determines the state of a wanted object. `is_completed`: a record says that it was ready and has been purged.
#[must_use]
pub fn state<'a>(item: &Item, live: Live<'a>, is_completed: bool) -> State<'a> {
    match live {
        Live::Object(object) if is_completed => {
            if object.is_deleted {
                State::Purging
            } else {
                State::Purged
            }
        }
        _ if is_completed => State::Completed,
        Live::Absent => State::Absent,
        Live::Foreign => State::Foreign,
        Live::Refused => State::Refused,
        Live::Object(object) => of_object(item, object),
    }
}

fn of_object<'a>(item: &Item, object: &'a LiveObject) -> State<'a> {
    if object.is_deleted {
        return State::Terminating;
    }
    if item.settings.reconcile != ReconcilePolicy::Once {
        let change = change(&item.applied, object.applied.as_ref());
        if let Some(change) = change {
            return State::Outdated(change);
        }
        if object.has_drifted {
            return State::Drifted;
        }
        if item.is_reapply_due(object.age) {
            return State::Outdated(Change::Reapply);
        }
    }
    match &object.status {
        ObjectStatus::Current => State::Ready,
        ObjectStatus::InProgress(why) => State::InProgress(why),
        ObjectStatus::Failed(why) => State::Failed(why),
        ObjectStatus::Terminating => State::Terminating,
    }
}

/// What has changed since the object was applied.
fn change(wanted: &Applied, applied: Option<&Applied>) -> Option<Change> {
    match applied {
        None => Some(Change::Unknown),
        Some(applied) if applied.content.is_none() => Some(Change::Unknown),
        Some(applied) if applied.content != wanted.content => Some(Change::Content),
        Some(applied) if applied != wanted => Some(Change::Settings),
        Some(_) => None,
    }
}
