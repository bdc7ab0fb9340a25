//! Leader election: replicas agree by a Lease which of them works.

mod candidate;
mod election;
mod follow;
mod identity;
#[cfg(test)]
mod model;
mod protocol;
mod record;
mod requests;
mod status;

pub(crate) use self::election::Election;
pub(crate) use self::identity::identity;
pub(crate) use self::protocol::{Names, Times};
pub(crate) use self::requests::LeaseName;
pub(crate) use self::status::Status;
