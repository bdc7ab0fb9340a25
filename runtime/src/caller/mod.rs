//! Who sends a request to a listener of the operator, and what the user may do.

mod access;
mod bearer;
mod recent;

pub(crate) use self::access::Access;
pub(crate) use self::bearer::bearer;
