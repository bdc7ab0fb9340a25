//! Dependencies between objects: references, their order, whether one is ready, and who may refer to whom.

mod access;
mod order;
mod ready;
mod reference;
mod unfit;
mod wait;

pub use self::access::{Access, Acl, Denied, NamespaceSelector};
#[cfg(feature = "operator")]
pub(crate) use self::order::Walk;
pub use self::order::{Cycle, sort};
pub use self::ready::{Readiness, readiness};
pub use self::reference::{InvalidReference, Reference, References};
pub use self::unfit::Unfit;
pub use self::wait::NotReady;
