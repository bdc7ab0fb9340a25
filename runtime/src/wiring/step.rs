//! The wiring of a step: the declarations of its attribute.

use std::time::Duration;

use super::former_tool::FormerTool;
use super::handler::{ReadSettings, UndoStep};
use super::ready_function::ReadyFunction;
use super::relation::{How, Relation};
use crate::kind::KindInfo;
use crate::outcome::reporting::{Until, VariantInfo, WatchedKind};

/// The declarations of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepWiring {
    /// The name of the function.
    pub name: &'static str,
    /// The doc comment of the function.
    #[doc(hidden)]
    pub doc: &'static str,
    /// The conditions that the step sets, as indices into the declared order, in the order of `sets(..)`.
    #[doc(hidden)]
    pub sets: &'static [usize],
    /// The negative conditions of earlier steps that are removed when the step succeeds.
    #[doc(hidden)]
    pub clears: &'static [usize],
    /// Whether the step creates something outside the cluster, which its cleanup removes.
    #[doc(hidden)]
    pub external: bool,
    /// `Before` for a precondition, `After` for a postcondition: steps that only read.
    #[doc(hidden)]
    pub check: Option<When>,
    /// The timeout of the step, within that of the pass.
    #[doc(hidden)]
    pub timeout: Option<Duration>,
    /// The kinds that the step reads, watches, polls and owns.
    #[doc(hidden)]
    pub relations: &'static [Relation],
    /// Patterns of the types that the dependents of the step serve, in addition to those of its CRDs and APIServices.
    #[doc(hidden)]
    pub manages: &'static [&'static str],
    /// The field or the function of the object with further patterns, for messages.
    #[doc(hidden)]
    pub manages_of: Option<&'static str>,
    /// Reads the settings of the set from the object, if the step keeps dependents.
    #[doc(hidden)]
    pub settings: Option<ReadSettings>,
    /// The functions that determine the status of its dependents, instead of the rules of kstatus.
    #[doc(hidden)]
    pub ready: &'static [ReadyFunction],
    /// Whether the roles of the set may grant rights that the operator does not have itself (`rights(escalate)`).
    #[doc(hidden)]
    pub escalates: bool,
    /// Whether events are recorded on the dependents of the step.
    #[doc(hidden)]
    pub events: bool,
    /// Whether all dependents of the step are in the namespace of their component.
    #[doc(hidden)]
    pub within_namespace: bool,
    /// A prefix under which annotations of its dependents are read, in addition to evenkeel's own.
    #[doc(hidden)]
    pub prefix: Option<&'static str>,
    /// What an earlier tool left on the dependents of the step.
    #[doc(hidden)]
    pub previously: FormerTool,
    /// The names of the function in earlier versions.
    #[doc(hidden)]
    pub formerly: &'static [&'static str],
    /// Whether the step or its cleanup may delete objects that the step owns. Deletion by the garbage collector does not count.
    #[doc(hidden)]
    pub deletes: bool,
    /// The reasons that occur as literals in the step, each with the index of its condition.
    #[doc(hidden)]
    pub reasons: &'static [(usize, &'static str)],
    /// The conditions that occur in `cx.fail(..)`.
    #[doc(hidden)]
    pub fails: &'static [usize],
    /// The variants of the step's error type.
    ///
    /// They are set only where a reconciler calls the step, in [`Wiring::steps`](super::Wiring::steps).
    #[doc(hidden)]
    pub errors: &'static [VariantInfo],
    /// The one-shot actions that the step handles, by their names in `lastHandledActions`.
    #[doc(hidden)]
    pub actions: &'static [&'static str],
    /// Whether a parameter of the step is a `Live<..>`, so that a change of the settings triggers a reconcile.
    #[doc(hidden)]
    pub live: bool,
    /// Finds where the step acts, if it has a `site`.
    #[doc(hidden)]
    pub find_site: Option<UndoStep>,
    /// The cleanup, if the step is external. It is set in the same place as the errors.
    #[doc(hidden)]
    pub undo: Option<UndoStep>,
}

impl StepWiring {
    /// Whether the step owns objects in other namespaces, which the finalizer of their owner deletes.
    pub(crate) const fn owns_anywhere(&self) -> bool {
        let mut i = 0;
        while i < self.relations.len() {
            if self.relations[i].anywhere {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether the step keeps a set of dependents, which the finalizer of their component deletes.
    pub(crate) const fn keeps_dependents(&self) -> bool {
        let mut i = 0;
        while i < self.relations.len() {
            if matches!(self.relations[i].how, How::Keeps) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether the step may keep objects of kinds that it does not declare.
    #[cfg(feature = "dependents")]
    pub(crate) fn keeps_any(&self) -> bool {
        self.relations.iter().any(Relation::is_any)
    }

    /// Whether a dependent of the step may be in this namespace. A mark elsewhere was copied, or another client set it.
    #[cfg(feature = "dependents")]
    pub(crate) fn may_keep_in(&self, namespace: Option<&str>, component: Option<&str>) -> bool {
        !self.within_namespace || namespace == component
    }

    /// The function that determines the status of its dependents of this kind.
    #[cfg(feature = "dependents")]
    pub(crate) fn ready_function(&self, kind: &KindInfo) -> Option<&'static ReadyFunction> {
        self.ready.iter().find(|function| function.is_for(kind))
    }

    /// A step without declarations, with the default of every field.
    pub const EMPTY: Self = Self {
        name: "",
        doc: "",
        sets: &[],
        clears: &[],
        external: false,
        check: None,
        relations: &[],
        manages: &[],
        manages_of: None,
        settings: None,
        ready: &[],
        escalates: false,
        events: false,
        within_namespace: false,
        prefix: None,
        previously: FormerTool::NONE,
        formerly: &[],
        deletes: true,
        reasons: &[],
        fails: &[],
        errors: &[],
        actions: &[],
        timeout: None,
        live: false,
        find_site: None,
        undo: None,
    };
}

impl StepWiring {
    /// The error variants that the step can return. A variant for a watched object requires that the step watches the
    /// kind.
    pub fn failures(&self) -> impl Iterator<Item = &'static VariantInfo> + use<> {
        let relations = self.relations;
        let is_watched = move |kind: &KindInfo| relations.iter().any(|one| one.how.is_watch() && one.is_of(kind));
        self.errors.iter().filter(move |error| match error.until {
            Some(Until::Change(WatchedKind(kind))) => is_watched(&kind()),
            _ => true,
        })
    }

    /// Whether an error of the step may mark the condition at this index: the first of `sets(..)`, or one in
    /// `cx.fail(..)`.
    #[must_use]
    pub fn marks(&self, place: usize) -> bool {
        self.sets.first() == Some(&place) || self.fails.contains(&place)
    }
}

/// A point in the lifecycle of an object at which hooks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// First, in every pass that runs the steps, the observer or the cleanups.
    Read,
    /// Before the steps.
    Before,
    /// After the steps, if all of them succeeded.
    After,
    /// Before the cleanups.
    BeforeDelete,
    /// After the cleanups, if all of them succeeded.
    AfterDelete,
}
