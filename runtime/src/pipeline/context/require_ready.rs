//! Methods for a step that requires another object in a certain state.

use std::fmt::Display;

use kube::ResourceExt;

use super::reads::{WATCHED, relation};
use super::{Cx, RequireReady};
use crate::api::Target;
use crate::dependency::{NotReady, Readiness, Reference, Unfit, readiness_of};
use crate::kind::typed;
use crate::pipeline::permission::WatchedBy;
use crate::pipeline::step::SubReconciler;
use crate::wiring::{Kind, KindInfo};

impl<S: SubReconciler> Cx<'_, S> {
    /// Creates the error for an object that exists but cannot be used yet, such as a Secret without a required key.
    ///
    /// The error names the object and the missing part. Each change to the object triggers a reconcile.
    ///
    /// ```ignore
    /// let token = data.get("token").ok_or_else(|| cx.unfit(&secret, "the key `token` is missing"))?;
    /// ```
    #[must_use]
    pub fn unfit<K: Kind + WatchedBy<S>>(&self, object: &K, missing: impl Display) -> Unfit<K> {
        let elsewhere = object.namespace().filter(|there| self.state.namespace.as_ref() != Some(there));
        let name = elsewhere.iter().fold(object.name_any(), |name, there| format!("{there}/{name}"));
        Unfit::new(name, missing)
    }

    /// Reads a referenced object that must be [ready](crate::dependency::readiness).
    ///
    /// The object is read from the namespace of the reference, or by default from the namespace of the reconciled object.
    ///
    /// # Errors
    /// [`NotReady`]: the object does not exist, is not ready, or cannot be read. A change to it triggers a reconcile.
    ///
    /// In two cases the reconciled object becomes Stalled:
    ///
    /// - The operator does not allow references to the other namespace ([`Access`](crate::dependency::Access)).
    /// - The reference contains an expression; expressions are not evaluated yet.
    pub fn require_ready<K: Kind + WatchedBy<S>>(&mut self, reference: &Reference) -> RequireReady<'_, K> {
        let (reference, kind) = (reference.clone(), KindInfo::of::<K>());
        let denied = || self.state.backend.access().refusal(self.state.namespace.as_deref(), &reference);
        if let Some(refusal) = reference.refusal().or_else(|| denied().filter(|_| kind.namespaced)) {
            self.state.refuse(refusal.clone());
            return RequireReady(Box::pin(async move { Err(NotReady::new(reference, refusal.message)) }));
        }
        let place = reference.within(self.state.namespace.as_deref());
        let target = Target { namespace: place.namespace.filter(|_| kind.namespaced), name: place.name, kind };
        let relation = relation(S::WIRING.relations, &target.kind, WATCHED);
        self.state.references.insert(target.to_string());
        let (step, backend) = (self.state.step_name(), self.state.backend.clone());
        let found = async move {
            let found = backend.get(step, relation, target).await;
            let found = found.map_err(|error| format!("it cannot be read: {error}"))?;
            let object = found.ok_or_else(|| "it does not exist yet".to_owned())?;
            match readiness_of(&object) {
                Readiness::Ready => typed(&object).map_err(|error| format!("it cannot be decoded: {error}")),
                Readiness::NotReady(why) => Err(why),
            }
        };
        RequireReady(Box::pin(async move { found.await.map_err(|why| NotReady::new(reference, why)) }))
    }
}
