//! The order of checks at the start of a run.

use kube::Resource;

use super::{ReconcileResult, Reconciled};

/// The result of reading the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// The object exists.
    Found(State),
    /// The object does not exist any more.
    NotFound,
    /// The object could not be read.
    Failed,
}

/// The state of the object that the checks use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The object has a deletion timestamp.
    pub deleting: bool,
    /// The object has the finalizer of this controller.
    pub finalizer: bool,
    /// The spec suspends the object.
    pub suspended: bool,
}

impl State {
    /// Reads the state of the object; `suspended` comes from its spec.
    #[must_use]
    pub fn of<K: Resource>(object: &K, finalizer: &str, suspended: bool) -> Self {
        let meta = object.meta();
        let finalizer = meta.finalizers.iter().flatten().any(|one| one == finalizer);
        Self { deleting: meta.deletion_timestamp.is_some(), finalizer, suspended }
    }
}

/// The action at the start of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Do nothing: the object is gone.
    Gone,
    /// Return the read error to the runtime; patch and measure nothing.
    Unreadable,
    /// Run the cleanup, even if suspended, then [`end_cleanup`].
    Cleanup,
    /// Run [`add_finalizer`], even if suspended; the next run continues from there.
    AddFinalizer,
    /// Do nothing: the object is suspended. Its conditions stay unchanged.
    Skip,
    /// Run the list of steps.
    Reconcile,
}

impl Entry {
    /// Chooses the action. Deletion has the highest priority, then a missing finalizer, then suspension.
    ///
    /// ```
    /// use evenkeel::flux::{Entry, Read, State};
    /// let read = Read::Found(State { deleting: true, suspended: true, finalizer: true });
    /// assert_eq!(Entry::of(read), Entry::Cleanup);
    /// ```
    #[must_use]
    pub const fn of(read: Read) -> Self {
        match read {
            Read::NotFound => Self::Gone,
            Read::Failed => Self::Unreadable,
            Read::Found(State { deleting: true, .. }) => Self::Cleanup,
            Read::Found(State { finalizer: false, .. }) => Self::AddFinalizer,
            Read::Found(State { suspended: true, .. }) => Self::Skip,
            Read::Found(_) => Self::Reconcile,
        }
    }

    /// The result of a run in which no code of the author runs.
    #[must_use]
    pub const fn reconciled(self) -> Option<ReconcileResult> {
        match self {
            Self::Gone | Self::Skip => Some(ReconcileResult::Empty),
            Self::AddFinalizer => Some(ReconcileResult::Requeue),
            Self::Unreadable | Self::Cleanup | Self::Reconcile => None,
        }
    }

    /// Whether the object was read. If so, the run ends with a patch and is measured.
    #[must_use]
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::Gone | Self::Unreadable)
    }
}

/// Adds the finalizer; the patch at the end of the run writes it. No condition is set yet, so no generation is observed.
pub fn add_finalizer<K: Resource>(object: &mut K, finalizer: &str) -> Reconciled {
    let finalizers = object.meta_mut().finalizers.get_or_insert_default();
    if !finalizers.iter().any(|one| one == finalizer) {
        finalizers.push(finalizer.to_owned());
    }
    Ok(ReconcileResult::Requeue)
}

/// Ends the cleanup. A success removes the finalizer; an error is returned and the finalizer stays.
pub fn end_cleanup<K: Resource>(object: &mut K, finalizer: &str, cleanup: Result<(), super::Error>) -> Reconciled {
    cleanup?;
    if let Some(finalizers) = &mut object.meta_mut().finalizers {
        finalizers.retain(|one| one != finalizer);
    }
    Ok(ReconcileResult::Empty)
}
