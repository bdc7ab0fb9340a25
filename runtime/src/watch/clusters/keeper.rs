//! Whose dependents are kept in other clusters.

use crate::queue::Queue;
use crate::wiring::{KindInfo, OperatorNames, Wiring};

/// Whose dependents are kept.
pub(crate) struct Keeper {
    /// The kind of the components.
    pub(crate) kind: KindInfo,
    /// The wiring of their reconciler.
    pub(crate) wiring: &'static Wiring,
    /// The names of the operator.
    pub(crate) operator: OperatorNames,
    /// The queue of the components.
    pub(crate) queue: Queue,
}
