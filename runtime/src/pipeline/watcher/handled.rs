//! The condition set of a watcher that declares none.

/// The conditions of a watcher without `conditions = ..`.
#[derive(Clone, Copy, Debug, evenkeel_macros::ConditionSet)]
#[condition_set(mod = handled, crate = crate)]
#[non_exhaustive]
pub enum Handled {
    /// The last change of the object has been handled.
    #[condition(positive)]
    Synced,
}
