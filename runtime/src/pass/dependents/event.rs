//! Events on dependents: what the calls of a step with the word `events` changed.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::core::ObjectMeta;
use kube::runtime::events::{Event, EventType};

use crate::api::Target;
use crate::pass::api::PassBackend;
use crate::pass::api::rolled_out::RolledOut;
use crate::pass::report::event::event;

const CREATED: &str = "Created";
const UPDATED: &str = "Updated";
const DELETED: &str = "Deleted";

/// What a call changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// The reason of the event.
    reason: &'static str,
    /// The uid of the object.
    uid: String,
}

impl Changed {
    /// The change of a write, unless it changed nothing. `before`: the version of the object before; `None`: it did not exist.
    pub(super) fn by_apply(before: Option<&str>, after: &ObjectMeta) -> Option<Self> {
        let reason = match before {
            None => CREATED,
            Some(before) if after.resource_version.as_deref() == Some(before) => return None,
            Some(_) => UPDATED,
        };
        Some(Self { reason, uid: after.uid.clone().unwrap_or_default() })
    }

    /// Counts it.
    pub(super) fn count(&self, rolled_out: &RolledOut) {
        match self.reason {
            CREATED => rolled_out.created(),
            UPDATED => rolled_out.updated(),
            _ => rolled_out.deleted(),
        }
    }

    /// The deletion of the object with this uid.
    pub(super) fn deleted(uid: &str) -> Self {
        Self { reason: DELETED, uid: uid.to_owned() }
    }
}

/// Records an event on the dependent, if the step has the word `events`. The events are sent with the client of the operator, so objects
/// in other clusters get none.
pub(super) fn record_change(backend: &PassBackend, step: &str, target: &Target, changed: Option<Changed>) {
    let has_word = backend.wiring.step(step).is_some_and(|step| step.events);
    let Some(Changed { reason, uid }) = changed.filter(|_| has_word && backend.sets.cluster(step).is_none()) else {
        return;
    };
    let component = &backend.identity.target;
    let namespace = component.namespace.iter().map(|namespace| format!("{namespace}/")).collect::<String>();
    let note = format!("{reason} by the step {step} of {} {namespace}{}", component.kind.resource.kind, component.name);
    let related = reference(component, backend.identity.uid.clone());
    let event = Event { secondary: Some(related), ..event(EventType::Normal, reason, &note) };
    backend.sets.record(event, reference(target, uid));
}

fn reference(target: &Target, uid: String) -> ObjectReference {
    let resource = &target.kind.resource;
    ObjectReference {
        api_version: Some(resource.api_version.clone()),
        kind: Some(resource.kind.clone()),
        namespace: target.namespace.clone(),
        name: Some(target.name.clone()),
        uid: Some(uid),
        ..ObjectReference::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_changes_nothing_has_no_event() {
        let after = ObjectMeta { uid: Some("u".into()), resource_version: Some("2".into()), ..ObjectMeta::default() };
        let reason = |before: Option<&str>| Changed::by_apply(before, &after).map(|changed| changed.reason);
        assert_eq!((reason(None), reason(Some("1")), reason(Some("2"))), (Some("Created"), Some("Updated"), None));
    }
}
