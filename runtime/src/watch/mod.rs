//! The watches: a cache of the reconciled kind, and what is known of the kinds that its steps own and watch.

mod backoff;
mod by_name;
mod by_selector;
mod cached_object;
mod dependency_map;
mod error;
mod first_list;
mod foreign_owner;
mod form;
mod health;
mod index;
mod list_watch;
mod lock;
mod object_version;
mod owned;
mod place;
mod primary;
mod related;
mod scope;
mod selector;
mod shared;
mod store;
mod streaming_list;
mod subscriptions;
mod watcher;
mod write_guard;

pub(crate) use self::by_selector::selects;
pub(crate) use self::cached_object::Kept;
pub(crate) use self::dependency_map::Dependents;
pub(crate) use self::error::{CREDENTIALS, Trouble};
pub(crate) use self::first_list::{Progress, Watching};
#[cfg(feature = "metrics")]
pub(crate) use self::health::Ailing;
pub(crate) use self::health::Health;
pub(crate) use self::object_version::Seen;
pub(crate) use self::place::Place;
pub(crate) use self::primary::{Filter, Primary, UNDECODABLE, Undecodable};
pub(crate) use self::related::Relations;
pub(crate) use self::scope::Scope;
pub(crate) use self::selector::matches;
pub(crate) use self::shared::{Started, Watches};
#[cfg(feature = "sabotage")]
pub(crate) use self::store::hold;
pub(crate) use self::streaming_list::Streaming;
