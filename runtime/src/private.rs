//! All that expansions name. Not a public interface: it changes without notice.

pub use crate::condition::{Complaints, ConditionInfo, ConditionMarker, ConditionSet, Polarity};
pub use crate::cx::{Cx, Pass, begin, finish, traced, undo};
pub use crate::interval::IntoInterval;
pub use crate::outcome::{Class, Flow, Halt, ReconcileError};
pub use crate::reconciler::{Primary, Reconciler};
pub use crate::status::{ObservedInputs, StatusContract};
pub use crate::step::{
    Absent, Clears, HasCleanup, Never, NoCleanup, Owns, Provides, Reads, Sets, SubReconciler, Undo, WakeUp, Watches,
};
pub use crate::wiring::{
    How, Kind, KindInfo, OwnableBy, Previously, Readable, Relation, StepWiring, Wiring, check_clears, check_sets,
};
pub use kube::Resource;
pub use std;
pub use {schemars, serde};
