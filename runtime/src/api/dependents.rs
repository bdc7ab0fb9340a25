//! The calls for the dependents of a component.

use std::sync::Arc;
use std::time::Duration;

use kube::core::DynamicObject;

use super::{ApiError, BoxFuture, FormerObjects, KindDiscovery, OtherObjects, StepSite};
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::plan::{Item, LiveObject};
use crate::dependent_rules::policy::DeletePolicy;

/// A dependent that the watches or our own writes show.
#[derive(Clone, Debug)]
pub struct KeptObject {
    /// Its identity.
    pub id: ObjectId,
    /// The step whose set it is in.
    pub step: Arc<str>,
    /// What is known of it.
    pub live: LiveObject,
    /// The name of the CRD of its kind, if it has one: `certificates.cert-manager.io`.
    pub type_name: String,
    /// The finalizers that hold up its deletion.
    pub finalizers: Vec<String>,
    /// The delete policy in its annotation, or why it cannot be read. Another client may have set it.
    pub annotated: Option<Result<DeletePolicy, String>>,
    /// Whether its marks have the name of an earlier version of the operator, the reconciler or the step.
    pub is_former: bool,
}

/// A call that writes or deletes one object of a set.
#[derive(Clone, Copy, Debug)]
pub enum ObjectCall<'a> {
    /// The object is applied. `live`: it is a dependent already.
    Apply {
        /// The wanted object.
        item: &'a Item,
        /// What is known of it.
        live: Option<&'a LiveObject>,
        /// Whether fields that were set with kubectl become fields of the operator first.
        overrides: bool,
        /// Whether the call undoes what another client did, so that it is delayed when that repeats.
        corrects: bool,
    },
    /// The API server checks, without a change, whether it would create the object anew.
    Try {
        /// The wanted object.
        item: &'a Item,
    },
    /// The object is replaced.
    Replace {
        /// The wanted object.
        item: &'a Item,
        /// What is known of it.
        live: &'a LiveObject,
    },
    /// The object is deleted.
    Delete {
        /// Its identity.
        id: &'a ObjectId,
        /// What is known of it.
        live: &'a LiveObject,
        /// Whether its own dependents, such as pods, are deleted before it.
        foreground: bool,
    },
    /// The marks are removed, and the object stays.
    Orphan {
        /// Its identity.
        id: &'a ObjectId,
        /// What is known of it.
        live: &'a LiveObject,
    },
}

impl ObjectCall<'_> {
    /// The object that the call changes; `None`: it changes none.
    #[must_use]
    pub const fn changes(&self) -> Option<&ObjectId> {
        match self {
            Self::Apply { item, .. } | Self::Replace { item, .. } => Some(&item.id),
            Self::Delete { id, .. } | Self::Orphan { id, .. } => Some(id),
            Self::Try { .. } => None,
        }
    }
}

/// The calls for the dependents of a component.
pub trait DependentCalls: OtherObjects + FormerObjects + KindDiscovery {
    /// Lets the calls of a step act at this site in this pass. `Err`: its calls fail with this text.
    fn act_at(&self, step: &'static str, site: Result<StepSite, String>) -> BoxFuture<'_, ()>;
    /// Why the calls of the step are not sent: its site is invalid.
    fn site_problem(&self, step: &str) -> Option<String>;
    /// Whether the step acts in another cluster than that of the operator.
    fn is_elsewhere(&self, step: &str) -> bool;
    /// Whether this pass has said where and as whom the calls of the step act.
    fn has_site(&self, step: &str) -> bool;
    /// Whether the sets are those of the operator itself in the namespace of the component, whatever the sites of their steps.
    fn ignores_sites(&self) -> bool {
        false
    }
    /// The uid of the cluster in which the step acts; `None`: in that of the operator. Known after its dependents were listed.
    fn cluster(&self, step: &str) -> Option<String>;
    /// The domain of the marks of the operator; `None`: that of evenkeel.
    fn marks(&self) -> Option<String>;
    /// Waits until the watches have listed the dependents of a step; `None`: of all steps whose sites are known.
    fn listed<'a>(&'a self, step: Option<&'a str>) -> BoxFuture<'a, Result<(), ApiError>>;
    /// Takes the objects for the set of a step in this pass. `false`: the step has none, and its dependents are redundant.
    ///
    /// # Errors
    /// Another step wants one of them, with its name.
    fn want(&self, step: &'static str, ids: Vec<ObjectId>) -> Result<(), (ObjectId, &'static str)>;
    /// Whether a step wants the object in this pass; `None`: no step wants it, and this one has not said what it wants.
    fn is_wanted(&self, step: &str, id: &ObjectId) -> Option<bool>;
    /// The objects that the step wants in this pass; `None`: it has not said what it wants.
    fn wanted(&self, step: &str) -> Option<Vec<ObjectId>>;
    /// An object whose creation had no answer and may still be carried out, and for how long.
    fn unanswered(&self) -> Option<(ObjectId, Duration)>;
    /// Why the component cannot have the object as a dependent: it is the component itself, or one of its owners.
    fn kinship(&self, id: &ObjectId) -> Option<&'static str>;
    /// Whether a step declares the kind, such as `Deployment.apps`.
    fn is_declared(&self, kind: &str) -> bool;
    /// Fails for an object whose namespace is not watched, and for one of a kind that is not watched at the site of the step.
    fn check(&self, step: &str, id: &ObjectId) -> Result<(), ApiError>;
    /// What is known of an object at the site of the step; `None`: it is no dependent of the component.
    fn get(&self, step: &str, id: &ObjectId) -> Option<KeptObject>;
    /// A dependent at the site of the step, of a kind that a step caches.
    fn cached(&self, step: &str, id: &ObjectId) -> Option<Arc<DynamicObject>>;
    /// How the status names an object for whose end the pass waits. `None`: it is in another cluster, where it has no watch.
    fn reference(&self, step: &str, id: &ObjectId) -> Option<String>;
    /// All dependents of the component, of all its sets.
    fn all(&self) -> Vec<KeptObject>;
    /// A hash over the fields that were applied to these objects. A change that others make between two passes changes it.
    fn applied(&self, step: &str, ids: &[&ObjectId]) -> String;
    /// Takes the present fields of the objects as what was applied.
    fn accept(&self, step: &str, ids: &[&ObjectId]);
    /// Sends a call for the set of a step. An object that is gone already is no error for a deletion.
    ///
    /// # Errors
    /// The call failed, or the object belongs to another owner. A change of that object then triggers a pass.
    fn send<'a>(&'a self, step: &'a str, call: ObjectCall<'a>) -> BoxFuture<'a, Result<(), ApiError>>;
    /// The numbers of dependents that were created, updated and deleted since this was last asked, without corrections.
    fn take_changes(&self) -> [usize; 3];
    /// Records the state of the dependents of a step, which the pass looks at next; `None`: of all steps. A later change needs another pass.
    fn look(&self, step: Option<&str>);
    /// A sum over the dependents as the pass has looked at them, with its own changes.
    fn seen(&self) -> u64;
    /// The same sum now. It changes with every change that a pass must see.
    fn sum(&self) -> u64;
    /// Whether the pass has to end, and another one follows: the component has a newer generation or is being deleted, or the pass has used
    /// half of the time that was left when the set was planned.
    fn must_end(&self) -> bool;
    /// Lists the dependents of a kind of these sets on the API server.
    ///
    /// # Errors
    /// The list failed.
    fn remaining<'a>(&'a self, sets: &'a [String]) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>>;
}
