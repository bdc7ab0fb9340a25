//! Hooks on the outcome: the author's last word on a pass, and reports to observers of the operator.
//!
//! - [`Ending`]: what `#[reconciler(.., after = report)]` gives to `report`, once per pass, before the status is written
//! - [`Report`]: what [`Operator::observe`](crate::Operator::observe) gives to each observer, once per pass, after the write
//!
//! A panic in either is logged, with the name of the hook, and changes nothing.

mod ending;
mod observer;

pub use self::ending::{Ending, Event, Hook};
#[cfg(feature = "operator")]
pub(crate) use self::ending::{Known, Telling};
pub use self::observer::Report;
#[cfg(feature = "operator")]
pub(crate) use self::observer::{Observer, tell};
