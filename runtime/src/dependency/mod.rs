//! Dependencies between objects: references, sort order, readiness, and access across namespaces.

mod access;
mod not_ready;
mod object_status;
mod readiness;
mod reference;
mod sort;
mod unfit;

pub use self::access::{Access, Acl, Denied, NamespaceSelector};
pub use self::not_ready::NotReady;
pub use self::object_status::{InvalidStatusHint, ObjectStatus, StatusHints, object_status};
pub(crate) use self::readiness::readiness_of;
pub use self::readiness::{Readiness, readiness};
pub use self::reference::{InvalidReference, Reference, References};
#[cfg(feature = "operator")]
pub(crate) use self::sort::Walk;
pub use self::sort::{Cycle, sort};
pub use self::unfit::Unfit;
