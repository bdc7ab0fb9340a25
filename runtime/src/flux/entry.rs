//! The order of checks at the entry of a run.

use kube::Resource;

use super::{ReconcileResult, Reconciled};

/// What reading the object came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It is there.
    Found(State),
    /// It is not there any more.
    NotFound,
    /// It could not be read.
    Failed,
}

/// What the entry looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// It has a deletion timestamp.
    pub deleting: bool,
    /// It has the finalizer of this controller.
    pub finalizer: bool,
    /// Its spec says to leave it alone.
    pub suspended: bool,
}

impl State {
    /// Of an object, whose spec says whether it is suspended.
    #[must_use]
    pub fn of<K: Resource>(object: &K, finalizer: &str, suspended: bool) -> Self {
        let meta = object.meta();
        let finalizer = meta.finalizers.iter().flatten().any(|one| one == finalizer);
        Self { deleting: meta.deletion_timestamp.is_some(), finalizer, suspended }
    }
}

/// What a run begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing: the object is gone.
    Gone,
    /// The error of reading it, returned to the runtime; nothing is patched or measured.
    Unreadable,
    /// The cleanup, even if suspended; then [`end_cleanup`].
    Cleanup,
    /// [`add_finalizer`], even if suspended; a new run begins with the rest.
    AddFinalizer,
    /// Nothing: the object is suspended. Its conditions are left as they are.
    Skip,
    /// The list of steps.
    Reconcile,
}

impl Entry {
    /// Decides. Deletion wins over all, the missing finalizer over suspension.
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

    /// What the run came to, where nothing of the author's is to be run.
    #[must_use]
    pub const fn reconciled(self) -> Option<ReconcileResult> {
        match self {
            Self::Gone | Self::Skip => Some(ReconcileResult::Empty),
            Self::AddFinalizer => Some(ReconcileResult::Requeue),
            Self::Unreadable | Self::Cleanup | Self::Reconcile => None,
        }
    }

    /// Whether the object was read, so that the run ends with a patch and is measured.
    #[must_use]
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::Gone | Self::Unreadable)
    }
}

/// Adds the finalizer, which the patch at the end writes. No condition is set yet, so no generation is observed.
pub fn add_finalizer<K: Resource>(object: &mut K, finalizer: &str) -> Reconciled {
    let finalizers = object.meta_mut().finalizers.get_or_insert_default();
    if !finalizers.iter().any(|one| one == finalizer) {
        finalizers.push(finalizer.to_owned());
    }
    Ok(ReconcileResult::Requeue)
}

/// Ends the cleanup: a success takes the finalizer off, an error keeps it and is returned.
pub fn end_cleanup<K: Resource>(object: &mut K, finalizer: &str, cleanup: Result<(), super::Error>) -> Reconciled {
    cleanup?;
    if let Some(finalizers) = &mut object.meta_mut().finalizers {
        finalizers.retain(|one| one != finalizer);
    }
    Ok(ReconcileResult::Empty)
}
