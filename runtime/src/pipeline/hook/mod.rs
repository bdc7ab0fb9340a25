//! Hooks on the outcome: the author's last word on a pass, and reports to observers of the operator.
//!
//! - [`Ending`]: what `#[reconciler(.., after = report)]` gives to `report`, once per pass, before the status is written
//! - [`Report`]: what [`Operator::observe`](crate::Operator::observe) gives to each observer, once per pass, after the write
//!
//! A panic in either is logged, with the name of the hook, and changes nothing.

mod pass_end;
mod report;

pub use self::pass_end::{Ending, Event, Hook};
#[cfg(feature = "operator")]
pub(crate) use self::pass_end::{Known, Telling};
pub use self::report::Report;
#[cfg(feature = "operator")]
pub(crate) use self::report::{Observer, tell};
