//! Hooks on the outcome: the author's last word on a pass, and reports to observers of the operator.
//!
//! - [`PassEnd`]: what `#[reconciler(.., on_end = report)]` gives to `report`, once per pass, before the status is written
//! - [`Report`]: what [`Operator::on_pass_end`](crate::Operator::on_pass_end) gives to each observer, once per pass, after the write
//!
//! A panic in either is logged, with the name of the hook, and changes nothing.

mod pass_end;
mod report;

#[cfg(feature = "operator")]
pub(crate) use self::pass_end::{Announcement, Known};
pub use self::pass_end::{Event, Hook, PassEnd};
pub use self::report::Report;
#[cfg(feature = "operator")]
pub(crate) use self::report::{PassListener, notify};
