//! What holds for dependents that are no longer wanted, by the object as it is now and by what was applied.

use std::any::Any;

use super::managed_types::managed_types_of;
use super::settings::settings_of;
use crate::api::KeptObject;
use crate::dependent_rules::manifest::InvalidManifest;
use crate::dependent_rules::order::TypePattern;
use crate::dependent_rules::plan::RemovalReason;
use crate::dependent_rules::policy::DeletePolicy;
use crate::pipeline::state::PassState;
use crate::pipeline::step::SubReconciler;
use crate::wiring::handler::Erased;

/// The end of some dependents.
pub(super) struct Ending {
    pub(super) why: RemovalReason,
    /// The types that the dependents of all steps serve.
    pub(super) managed: Vec<TypePattern>,
    /// The delete policies of the steps, as the object has them now.
    policies: Vec<(&'static str, DeletePolicy)>,
}

impl Ending {
    /// The end of these objects. If there are none, the object may say what it wants.
    ///
    /// # Errors
    /// A pattern of the object cannot be read.
    pub(super) fn of(
        state: &PassState,
        object: &Erased,
        objects: &[KeptObject],
        why: RemovalReason,
    ) -> Result<Self, InvalidManifest> {
        let (mut managed, mut policies) = (Vec::new(), Vec::new());
        for step in state.wiring.steps.iter().filter(|_| !objects.is_empty()) {
            managed.extend(managed_types_of(step, object)?);
            policies.extend(settings_of(step, object).policies.delete.map(|policy| (step.name, policy)));
        }
        Ok(Self { why, managed, policies })
    }

    /// The delete policy that holds for an object. That of its manifest decides; one that another client set on it can only keep it, and so
    /// can one that the object has got since it was applied.
    pub(super) fn delete_policy(&self, kept: &KeptObject) -> DeletePolicy {
        // An object that is deleted by mistake cannot be brought back, so one whose policy is unknown stays.
        let applied = kept.live.applied.map_or(DeletePolicy::Orphan, |applied| applied.delete);
        let keeps = |policy: &DeletePolicy| self.why.orphans(*policy);
        match &kept.annotated {
            Some(Ok(annotated)) if keeps(annotated) || *annotated == applied => *annotated,
            _ => {
                let now = self.policies.iter().find(|(step, _)| **step == *kept.step).map(|(_, policy)| *policy);
                now.filter(keeps).unwrap_or(applied)
            }
        }
    }

    /// Whether the object stays.
    pub(super) fn keeps(&self, kept: &KeptObject) -> bool {
        self.why.orphans(self.delete_policy(kept))
    }
}

/// Reads the settings of a set from an object, whose step need not run.
#[allow(clippy::expect_used, reason = "the wiring of a reconciler is handed what is the reconciler's")]
pub fn read_settings<S: SubReconciler>(object: &Erased) -> Box<dyn Any> {
    let object: &S::Object = object.downcast_ref().expect("the object of the step");
    Box::new(S::dependents(object))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::dependency::ObjectStatus;
    use crate::dependent_rules::manifest::{Applied, ObjectId};
    use crate::dependent_rules::plan::LiveObject;

    fn kept(applied: Option<DeletePolicy>, annotated: Option<DeletePolicy>) -> KeptObject {
        let live = LiveObject {
            uid: String::new(),
            resource_version: String::new(),
            applied: applied.map(Applied::unknown),
            is_deleted: false,
            has_drifted: false,
            age: Duration::ZERO,
            status: ObjectStatus::Current,
        };
        KeptObject {
            id: ObjectId { group: String::new(), kind: "Secret".into(), namespace: None, name: "a".into() },
            step: "install".into(),
            live,
            type_name: String::new(),
            finalizers: Vec::new(),
            annotated: annotated.map(Ok),
            is_former: false,
        }
    }

    #[test]
    fn where_policies_differ_the_object_is_kept_unless_its_manifest_decides() {
        use DeletePolicy::{Delete, Orphan, OrphanOnApply, OrphanOnDelete};
        for (applied, annotated, now, keeps) in [
            (Some(Delete), None, None, false),
            (Some(Delete), None, Some(Delete), false),
            (Some(Delete), None, Some(Orphan), true),
            (Some(Delete), None, Some(OrphanOnDelete), true),
            (Some(Delete), None, Some(OrphanOnApply), false),
            (Some(Orphan), None, Some(Delete), true),
            (Some(Delete), Some(Delete), Some(Orphan), false),
            (Some(Orphan), Some(Orphan), Some(Delete), true),
            (Some(Delete), Some(Orphan), None, true),
            (Some(Orphan), Some(Delete), Some(Delete), true),
            (Some(OrphanOnApply), Some(Delete), Some(Orphan), true),
            (None, None, Some(Delete), true),
        ] {
            let policies = now.map(|policy| ("install", policy)).into_iter().collect();
            let ending = Ending { why: RemovalReason::ComponentDeleted, managed: Vec::new(), policies };
            assert_eq!(ending.keeps(&kept(applied, annotated)), keeps, "{applied:?} {annotated:?} {now:?}");
        }
    }
}
