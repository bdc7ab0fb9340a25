//! The functions that review writes before they are stored: what their authors use, and what their macros implement.

mod admits;
mod denial;
mod dependencies;
mod field;
mod function;
pub(crate) mod meter;
mod request;
mod review;

pub use self::admits::{Admits, ReviewOutput, returned};
pub use self::denial::Denial;
#[cfg(feature = "webhooks")]
pub(crate) use self::denial::{Cause, Kind as DenialKind};
pub use self::dependencies::DependencyList;
pub use self::field::{Field, Part};
pub use self::function::{AdmissionFunction, ReviewedKind, is_kind};
#[cfg(feature = "webhooks")]
pub(crate) use self::request::{Reads, ReviewRequest};
pub use self::review::Review;
