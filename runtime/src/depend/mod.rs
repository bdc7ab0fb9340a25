//! Dependencies between objects: references, their order, whether one is ready, and who may refer to whom.

mod access;
mod order;
mod ready;
mod reference;

pub use self::access::{Access, Acl, Denied, NamespaceSelector};
pub use self::order::{Cycle, sort};
pub use self::ready::{Readiness, readiness};
pub use self::reference::{InvalidReference, Reference, References};
