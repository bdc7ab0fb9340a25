//! Hooks on the outcome of a pass: the hook of a reconciler, and the observers of an operator.
//!
//! - [`PassEnd`]: the argument of the hook in `#[reconciler(.., on_end = report)]`, called once per pass before the status write
//! - [`Report`]: the argument of each observer from [`Operator::on_pass_end`](crate::Operator::on_pass_end), called once per pass after the
//!   status write
//!
//! A panic in a hook or an observer is logged with its name and has no other effect.

mod pass_end;
mod report;

#[cfg(feature = "operator")]
pub(crate) use self::pass_end::{Announcement, Known};
pub use self::pass_end::{Event, Hook, PassEnd};
pub use self::report::Report;
#[cfg(feature = "operator")]
pub(crate) use self::report::{PassListener, notify};
