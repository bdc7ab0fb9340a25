//! All that expansions name. Not a public interface: it changes without notice.

pub use crate::action::{Actions, EventLevel, LogLevel, Until, VariantInfo};
pub use crate::check::{check_step, check_summary, check_unset};
pub use crate::condition::reason::{check_reason, check_reason_of};
pub use crate::condition::{
    Condition, ConditionInfo, ConditionMarker, ConditionSet, Polarity, ReasonInfo, SummaryInfo,
};
pub use crate::cx::{Cx, Pass, begin_each, both, ended, finish, finish_each, fork, joined, merge};
pub use crate::depend::{Reference, References};
pub use crate::hook::{Ending, Hook};
pub use crate::index::indexer;
pub use crate::interval::IntoInterval;
pub use crate::observed::ObservedBy;
pub use crate::outcome::{Class, Flow, ReconcileError};
pub use crate::pipeline::{
    Borrowed, IsSet, KindOf, Pipeline, Set, StepOf, StepOutput, claimer, has_cleanup, hooker, is_empty, is_primary,
    is_set, known, may_own, observer, pipeline, place, skip, step_of, value, wakes, wiring_of,
};
pub use crate::poison::{Poison, poisoned};
pub use crate::policy::Policies;
pub use crate::reconciler::{Primary, Reconciler};
pub use crate::request::action;
pub use crate::restricted::{DraftKey, OnlyWrittenBy, StatusDraft, with_cx_write};
pub use crate::retry::Retry;
pub use crate::right::{Declares, Unread, clears, indexes, kept, labels, owns, reads, sets, watches};
pub use crate::status::{ObservedInputs, StatusContract, field_schema};
pub use crate::step::{Claim, CleanedUp, HasCleanup, Hooked, NoCleanup, Observe, Provides, SubReconciler, Undo};
pub use crate::suspend::{IsSuspended, Suspend};
pub use crate::triggers::{Names, Triggers};
pub use crate::wiring::{
    Adopt, Arm, Cache, How, KindInfo, Node, Previously, Readable, Relation, StepWiring, When, Wiring,
};
pub use std;
pub use std::clone::Clone;
pub use std::fmt::Debug;
pub use std::future::Future;
pub use std::marker::{Copy, Send};
pub use {schemars, serde};
