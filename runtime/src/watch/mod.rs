//! The watches: a cache of the reconciled kind, and what is known of the kinds that its steps own and watch.

mod backoff;
mod by_name;
mod by_selector;
mod cached_object;
mod dependency_map;
mod error;
mod foreign_owner;
mod health;
mod index;
mod list_watch;
mod object_version;
mod owned;
mod primary;
mod related;
mod scope;
mod selector;
mod shared;
mod store;
mod streaming_list;
mod subscriptions;
mod task;
mod watcher;
mod write_guard;

pub(crate) use self::by_selector::selects;
pub(crate) use self::cached_object::Kept;
pub(crate) use self::dependency_map::Dependents;
pub(crate) use self::error::{CREDENTIALS, Trouble};
#[cfg(feature = "metrics")]
pub(crate) use self::health::Ailing;
pub(crate) use self::health::Health;
pub(crate) use self::object_version::Seen;
pub(crate) use self::primary::{Filter, Primary, UNDECODABLE, Undecodable};
pub(crate) use self::related::Relations;
pub(crate) use self::scope::Scope;
pub(crate) use self::selector::matches;
pub(crate) use self::shared::{Started, Watches, Watching};
#[cfg(feature = "sabotage")]
pub(crate) use self::store::hold;
pub(crate) use self::streaming_list::Streaming;
pub(crate) use self::watcher::{Place, Progress};
