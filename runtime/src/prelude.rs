//! What a file of an operator imports: `use evenkeel::prelude::*;`.

pub use crate::backend::ApiError;
pub use crate::condition::{Condition, ConditionSet, Status};
pub use crate::cx::{Cx, Pass};
pub use crate::depend::{NotReady, Unfit};
pub use crate::hook::Ending;
pub use crate::interval::Interval;
pub use crate::operation::Operation;
#[cfg(feature = "operator")]
pub use crate::operator::Operator;
pub use crate::outcome::{Class, Flow, ReconcileError};
pub use crate::policy::Policy;
pub use crate::step::Absent;
#[doc(no_inline)]
pub use evenkeel_macros::{
    ConditionSet, ReconcileError, check, claim, cleanup, hook, observe, reconciler, status, sub_reconciler,
};
#[doc(no_inline)]
pub use kube::{CustomResource, KubeSchema};
#[doc(no_inline)]
pub use serde::{Deserialize, Serialize};
