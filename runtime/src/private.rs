//! All that expansions name. Not a public interface: it changes without notice.

pub use crate::condition::reason::{check_reason, check_reason_of};
pub use crate::condition::{
    Condition, ConditionInfo, ConditionMarker, ConditionSet, Polarity, ReasonInfo, SummaryInfo,
};
#[cfg(feature = "conversion")]
pub use crate::conversion::{
    Checked, Conversion, ConversionWiring, ConvertFunctions, ConvertedSpecOf, ConvertedStatusOf, Spoke, convert,
    convert_to_itself, has_status, is_version,
};
pub use crate::dependency::{Reference, References};
#[cfg(feature = "dependents")]
pub use crate::dependent_rules::policy as dependent_policy;
pub use crate::interval::IntoInterval;
#[cfg(feature = "dependents")]
pub use crate::kind::TextKind;
pub use crate::outcome::reporting::{Actions, EventLevel, LogLevel, Until, VariantInfo, count_variants, join_variants};
pub use crate::outcome::retry::Retry;
pub use crate::outcome::{Class, PassResult, ReconcileError};
#[cfg(feature = "admission")]
pub use crate::pipeline::admission::{
    AdmissionFunction, Admits, Denial, Field, Part, Review, ReviewedKind, is_kind, returned,
};
pub use crate::pipeline::bare::{Bare, Metadata};
pub use crate::pipeline::check::{
    check_actions_stored, check_bare_status, check_fields, check_loop, check_step, check_summary, check_unset,
};
#[cfg(feature = "dependents")]
pub use crate::pipeline::context::find_site;
pub use crate::pipeline::context::{
    Call, Cx, Pass, begin_each, both, call, called, conclude, deleted, ended, finish, finish_each, fork, joined, merge,
    whole,
};
pub use crate::pipeline::daemon::{Daemon, DaemonOf};
#[cfg(feature = "dependents")]
pub use crate::pipeline::dependents::{
    Converges, SetSettings, read_settings, returns_dependents, stores_dependents, type_texts,
};
#[cfg(feature = "templates")]
pub use crate::pipeline::dependents::{Renders, TemplateFile, Templates, check_ready, count_relations, join_relations};
#[cfg(feature = "dependents")]
pub use crate::pipeline::handler::HasSite;
pub use crate::pipeline::hook::{Hook, PassEnd};
pub use crate::pipeline::mapping::{Mapping, mapping};
pub use crate::pipeline::object::Primary;
pub use crate::pipeline::permission::{
    Declares, OwnCalls, Unchecked, action, anywhere, cached, clears, dependents, indexes, kept, labels, mapped, owns,
    reads, sets, uses, watches,
};
pub use crate::pipeline::placeholder::{ErrorPlaceholder, placeholder};
pub use crate::pipeline::reconciler::Reconciler;
pub use crate::pipeline::restricted_field::{Restricted, with_cx_write};
#[cfg(feature = "route")]
pub use crate::pipeline::route::{Answers, Call as RouteCall, Reply, RouteFunction, answered};
pub use crate::pipeline::step::{
    Claim, CleanedUp, HasCleanup, Hooked, NoCleanup, Observe, Provides, SubReconciler, Undo,
};
pub use crate::pipeline::watcher::event::Event;
pub use crate::pipeline::watcher::handled::{Handled, handled};
pub use crate::pipeline::watcher::{RetryPolicy, Watcher, decode_whole};
pub use crate::pipeline::{
    Borrowed, IsSet, KindOf, Pipeline, Set, StepOf, StepOutput, claim_handler, daemon_handler, has_cleanup,
    hook_handler, is_empty, is_primary, is_set, known, may_own, observe_handler, pipeline, place, skip, step_of,
    triggered_by, value, wiring_of,
};
pub use crate::rule::expression::{
    Bound, Expression, Method, Operator as RuleOperator, Parameter, Part as RulePart, Quantifier,
};
pub use crate::rule::{At, Declared, Form, Located, Request, Rule};
pub use crate::status::draft::{DraftKey, StatusDraft};
pub use crate::status::observed_by::{ObservedBy, observed_by_schema, read_observed_by};
pub use crate::status::{
    NotReadyObject, ObservedInputs, SetObject, SetStatus, SetStatuses, StatusContract, StoresDependents, field_schema,
};
#[cfg(feature = "admission")]
pub use crate::wiring::admission::{AdmissionWiring, Failure, Operation};
pub use crate::wiring::index::indexer;
pub use crate::wiring::policy::Policies;
#[cfg(feature = "route")]
pub use crate::wiring::route::{Method as RouteMethod, RouteWiring};
pub use crate::wiring::suspend::{IsSuspended, Suspend};
pub use crate::wiring::triggers::{Names, Triggers};
pub use crate::wiring::{
    Adopt, Arm, BareStatusStore, Cache, DeclaredCall, DeclaredTime, DeclaredTimes, FormerTool, How, KindInfo, Leave,
    Mark, Node, Previously, Readable, ReadyFunction, Relation, StepWiring, Verb, WatcherWiring, When, Wiring,
};
#[cfg(feature = "admission")]
pub use evenkeel_macros::field_path;
pub use evenkeel_macros::{cleanup, sub_reconciler};
pub use std;
pub use std::clone::Clone;
pub use std::fmt::Debug;
pub use std::future::Future;
pub use std::marker::{Copy, Send};
pub use {schemars, serde, serde_json};
