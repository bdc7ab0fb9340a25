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
mod shards;
mod status;
mod step_down;

pub(crate) use self::election::{Election, Order, Orders};
pub(crate) use self::identity::identity;
pub(crate) use self::protocol::{Names, Times};
pub(crate) use self::requests::LeaseName;
#[cfg(feature = "doctor")]
pub(crate) use self::shards::replicas;
pub(crate) use self::shards::{GroupStatus, LoadShard, LoadedShard, ShardElection, StartShards, shard_lease};
pub(crate) use self::status::Status;
#[cfg(feature = "doctor")]
pub(crate) use self::step_down::REST;
pub(crate) use self::step_down::follow_requests;
