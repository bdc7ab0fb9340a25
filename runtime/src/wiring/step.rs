//! What a step declared.

use std::time::Duration;

use super::handler::UndoStep;
use super::relation::Relation;
use crate::kind::KindInfo;
use crate::outcome::reporting::{Until, VariantInfo, WatchedKind};

/// What a step declared.
#[derive(Clone, Copy, Debug)]
pub struct StepWiring {
    /// The name of the function.
    pub name: &'static str,
    /// The doc comment of the function.
    pub doc: &'static str,
    /// The conditions it sets, as places in the declared order, in the order of `sets(..)`.
    pub sets: &'static [usize],
    /// The negative conditions of earlier steps that its success removes.
    pub clears: &'static [usize],
    /// It makes something outside the cluster, which its cleanup removes.
    pub external: bool,
    /// It only looks: before the others, or after them (`#[check(before)]`).
    pub check: Option<When>,
    /// How long it may take before it is dropped, within the time of the pass.
    pub timeout: Option<Duration>,
    /// The kinds it reads, watches, polls and owns.
    pub relations: &'static [Relation],
    /// The reasons that it says as literals, each with the place of its condition.
    pub says: &'static [(usize, &'static str)],
    /// The conditions that it names in `cx.fail(..)`.
    pub fails: &'static [usize],
    /// The variants of the error that it fails with. Filled in where a reconciler calls the step, so in
    /// [`Wiring::steps`](super::Wiring::steps).
    pub errors: &'static [VariantInfo],
    /// The one-shot actions that it asks for, as `lastHandledActions` names them.
    pub actions: &'static [&'static str],
    /// Undoes it, where it is external. Filled in as the errors are.
    #[doc(hidden)]
    pub undo: Option<UndoStep>,
}

impl StepWiring {
    /// A step that declares nothing: what an expansion leaves unsaid stands here.
    pub const EMPTY: Self = Self {
        name: "",
        doc: "",
        sets: &[],
        clears: &[],
        external: false,
        check: None,
        relations: &[],
        says: &[],
        fails: &[],
        errors: &[],
        actions: &[],
        timeout: None,
        undo: None,
    };
}

impl StepWiring {
    /// The variants of its error that it can end in. One that names a watched object comes only from a step that watches the kind.
    pub fn failures(&self) -> impl Iterator<Item = &'static VariantInfo> + use<> {
        let relations = self.relations;
        let is_watched = move |kind: &KindInfo| relations.iter().any(|one| one.how.is_watch() && one.is_of(kind));
        self.errors.iter().filter(move |error| match error.until {
            Some(Until::Change(WatchedKind(kind))) => is_watched(&kind()),
            _ => true,
        })
    }

    /// Whether an error of the step may mark the condition at the place: the first of `sets(..)`, or one that it names in `cx.fail(..)`.
    #[must_use]
    pub fn marks(&self, place: usize) -> bool {
        self.sets.first() == Some(&place) || self.fails.contains(&place)
    }
}

/// A point in the life of an object at which hooks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// First in every pass that does something.
    Read,
    /// Before the steps.
    Before,
    /// After the steps, where all of them succeeded.
    After,
    /// Before the cleanups.
    BeforeDelete,
    /// After the cleanups, where all of them succeeded.
    AfterDelete,
}
