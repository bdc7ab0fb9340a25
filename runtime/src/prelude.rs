//! The imports of an operator: `use evenkeel::prelude::*;`.

pub use crate::api::ApiError;
pub use crate::condition::{Condition, ConditionSet, ConditionStatus};
pub use crate::dependency::{NotReady, Unfit};
#[cfg(feature = "admission")]
pub use crate::field;
pub use crate::interval::Interval;
#[cfg(feature = "operator")]
pub use crate::operator::Operator;
pub use crate::outcome::{PassResult, ReconcileError};
#[cfg(feature = "admission")]
pub use crate::pipeline::admission::{Denial, Review};
pub use crate::pipeline::context::{Cx, Pass};
pub use crate::pipeline::daemon::Daemon;
pub use crate::pipeline::hook::PassEnd;
#[cfg(feature = "route")]
pub use crate::pipeline::route::{Call, Reply};
pub use crate::pipeline::step::Absent;
pub use crate::pipeline::watcher::event::Event;
pub use crate::status::operation::RemoteOperation;
pub use crate::wiring::policy::Policy;
#[cfg(feature = "conversion")]
#[doc(no_inline)]
pub use evenkeel_macros::convert;
#[cfg(feature = "route")]
#[doc(no_inline)]
pub use evenkeel_macros::route;
#[doc(no_inline)]
pub use evenkeel_macros::{
    ConditionSet, ReconcileError, check, claim, cleanup, daemon, hook, observe, postcondition, precondition,
    reconciler, rule, status, sub_reconciler, watcher,
};
#[cfg(feature = "admission")]
#[doc(no_inline)]
pub use evenkeel_macros::{mutate, validate};
#[doc(no_inline)]
pub use kube::{CustomResource, KubeSchema};
#[doc(no_inline)]
pub use serde::{Deserialize, Serialize};
