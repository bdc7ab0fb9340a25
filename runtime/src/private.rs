//! All that expansions name. Not a public interface: it changes without notice.

pub use crate::action::{Actions, EventLevel, LogLevel, VariantInfo};
pub use crate::condition::reason::{check_reason, check_reason_of};
pub use crate::condition::{
    Complaints, Condition, ConditionInfo, ConditionMarker, ConditionSet, Polarity, ReasonInfo, SummaryInfo,
};
pub use crate::cx::{Cx, Pass, begin_each, both, ended, finish, finish_each, fork, joined, merge, next};
pub use crate::depend::{Reference, References};
pub use crate::hook::{Ending, Hook};
pub use crate::interval::IntoInterval;
pub use crate::observed::ObservedBy;
pub use crate::outcome::{Class, Flow, ReconcileError};
pub use crate::pipeline::{
    Borrowed, IsSet, StepOf, StepOutput, begin, is_empty, object, owns, place, run, skip, step_of, tag, undo_by, wakes,
    wiring_of,
};
pub use crate::poison::{Poison, poisoned};
pub use crate::reconciler::{Primary, Reconciler};
pub use crate::request::action;
pub use crate::restricted::{DraftKey, OnlyWrittenBy, StatusDraft};
pub use crate::status::{ObservedInputs, StatusContract};
pub use crate::step::{
    ClearedBy, HasCleanup, NoCleanup, OwnedBy, Provides, ReadBy, SetBy, SubReconciler, Undo, Unread, WatchedBy,
};
pub use crate::suspend::{IsSuspended, Suspend};
pub use crate::wiring::{
    Arm, How, KindInfo, Node, Previously, Readable, Relation, StepWiring, Wiring, check_step, check_summary,
    check_unset,
};
pub use std;
pub use {schemars, serde};
