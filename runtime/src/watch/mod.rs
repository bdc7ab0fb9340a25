//! The watches: the cache of the reconciled kind, and the caches of the kinds that its steps own and watch.

mod backoff;
mod by_name;
mod by_selector;
mod cached_object;
#[cfg(feature = "dependents")]
pub(crate) mod clusters;
mod declared;
mod dependency_map;
#[cfg(feature = "dependents")]
pub(crate) mod dependents;
mod error;
mod first_list;
mod foreign_owner;
mod form;
mod health;
mod index;
mod list_watch;
mod object_version;
mod offers_sharding;
mod owned;
#[cfg(feature = "routes")]
mod primaries;
mod primary;
mod related;
mod scope;
#[cfg(feature = "webhooks")]
mod selected;
mod selector;
#[cfg(feature = "__test-hooks")]
pub(crate) mod shard_hook;
mod shared;
mod store;
mod streaming_list;
mod subscriptions;
mod watch_target;
mod watcher;
mod write_guard;

pub(crate) use self::by_selector::selects;
pub(crate) use self::cached_object::CachedObject;
pub(crate) use self::dependency_map::Dependents;
pub(crate) use self::error::{CREDENTIALS, WatchError};
pub(crate) use self::first_list::{Progress, WatchHandle};
#[cfg(feature = "metrics")]
pub(crate) use self::health::FailingWatch;
pub(crate) use self::health::Health;
pub(crate) use self::object_version::ObjectVersion;
pub(crate) use self::offers_sharding::offers_sharding;
#[cfg(feature = "routes")]
pub(crate) use self::primaries::Primaries;
#[cfg(feature = "compact")]
pub(crate) use self::primary::Compaction;
pub(crate) use self::primary::{JoinedShard, Primary, PrimaryPredicate, Reduction, UNDECODABLE, Undecodable};
pub(crate) use self::related::RelatedCaches;
pub(crate) use self::scope::Scope;
#[cfg(feature = "webhooks")]
pub(crate) use self::selected::SelectedObjects;
pub(crate) use self::selector::{matches, unreadable};
pub(crate) use self::shared::{SharedWatches, Started};
#[cfg(feature = "__test-hooks")]
pub(crate) use self::store::hold;
pub(crate) use self::streaming_list::Streaming;
pub(crate) use self::watch_target::WatchTarget;
