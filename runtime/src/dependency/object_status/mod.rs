//! Whether the actual state of an object matches its spec, by the rules of kstatus.

mod hints;
mod kinds;
mod parts;
mod rules;

pub use self::hints::{InvalidStatusHint, StatusHints};
pub(super) use self::parts::Observed;
pub use self::rules::object_status;
pub use crate::object_status::ObjectStatus;
