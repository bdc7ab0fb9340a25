//! The pass of a suspended object: nothing but receipts, and word of the change.

use kube::runtime::events::EventType;

use super::policy;
use crate::pass::PassWorker;
use crate::pass::api::PassBackend;
use crate::pass::finish::status_write::Unwritten;
use crate::pass::report::current_pass::CurrentPass;
use crate::pass::report::event;
use crate::pipeline::dyn_reconciler::DynReconciler;
use crate::pipeline::object::Object;
use crate::pipeline::state::{Draft, StatusIntent};
use crate::queue::{Causes, Key, Next};
use crate::wiring::suspend::SUSPEND;

/// By the field or by the annotation, as the reconciler says.
pub(in crate::pass) fn is_suspended(reconciler: &dyn DynReconciler, object: &Object) -> bool {
    let annotated = || object.annotations().get(SUSPEND).is_some_and(|value| value == "true");
    reconciler
        .wiring()
        .suspend
        .is_some_and(|suspend| reconciler.is_suspended(object) || (suspend.annotation && annotated()))
}

impl PassWorker {
    /// No side effect, conditions as they are, no timer: the object wakes when it is resumed.
    pub(in crate::pass) async fn freeze(&self, pass: &mut CurrentPass<'_>, object: &Object) -> Next {
        let key = pass.key;
        pass.ends("Suspended");
        let known = std::mem::replace(&mut self.memory().entry(key.clone()).or_default().suspended, true);
        if pass.causes.contains(Causes::SUSPENSION) && !known {
            tracing::info!("suspended");
            self.tell(pass, object, "Suspended", "nothing is done for this object until it is resumed");
        }
        let backend = self.backend(key, object);
        let draft = Draft::new(object, *self.wiring, backend.clone());
        let intent = draft.frozen(self.wiring.suspend.is_some_and(|suspend| suspend.record));
        self.stamp(pass, object, &backend, &draft.found(), &intent).await
    }

    /// Writes the status of an object that is left alone, if it differs.
    pub(in crate::pass) async fn stamp(
        &self,
        pass: &mut CurrentPass<'_>,
        object: &Object,
        backend: &PassBackend,
        found: &StatusIntent,
        intent: &StatusIntent,
    ) -> Next {
        if intent == found {
            return Next::Await;
        }
        match backend.write(&backend.identity, found, intent).await {
            Ok(written) => {
                backend.note(&written);
                if let Some(event) = policy::change(found, intent) {
                    pass.send(event, self.reference(object));
                }
                Self::until_quiet(backend, Next::Await)
            }
            Err(unwritten) => self.unstamped(pass.key, backend, unwritten),
        }
    }

    pub(in crate::pass) fn unstamped(&self, key: &Key, backend: &PassBackend, unwritten: Unwritten) -> Next {
        match unwritten {
            Unwritten::Gone => self.forget(key),
            Unwritten::Outdated => self.outdated(key, backend),
            Unwritten::Failed(error) => {
                tracing::warn!(%error, "the status of an object that is left alone was not written; trying again");
                Next::Retry { progressed: false, at_least: None }
            }
        }
    }

    /// Logs the end of a suspension that this process has seen, and sends an event.
    pub(in crate::pass) fn thaw(&self, pass: &mut CurrentPass<'_>, object: &Object) {
        let was = self.memory().get_mut(pass.key).is_some_and(|memory| {
            memory.elsewhere = None;
            std::mem::take(&mut memory.suspended)
        });
        if was {
            tracing::info!("resumed");
            self.tell(pass, object, "Resumed", "the object is reconciled again");
        }
    }

    pub(in crate::pass) fn tell(&self, pass: &mut CurrentPass<'_>, object: &Object, reason: &str, note: &str) {
        pass.send(event::event(EventType::Normal, reason, note), self.reference(object));
    }
}
