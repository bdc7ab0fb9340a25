//! The watches: a cache of the reconciled kind, and what is known of the kinds that its steps own and watch.

mod backoff;
mod children;
mod dependents;
mod entries;
mod foreign;
mod health;
mod interest;
mod kept;
mod labelled;
mod list_watch;
mod named;
mod objects;
mod primary;
mod relations;
mod scope;
mod seen;
mod selector;
mod stream;
mod streaming;
mod task;
mod trouble;
mod watches;
mod writing;

pub(crate) use self::dependents::Dependents;
#[cfg(feature = "metrics")]
pub(crate) use self::health::Ailing;
pub(crate) use self::health::Health;
pub(crate) use self::kept::Kept;
#[cfg(feature = "sabotage")]
pub(crate) use self::objects::hold;
pub(crate) use self::primary::{Filter, Primary, Undecodable};
pub(crate) use self::relations::Relations;
pub(crate) use self::scope::Scope;
pub(crate) use self::seen::Seen;
pub(crate) use self::selector::matches;
pub(crate) use self::stream::{Place, Progress};
pub(crate) use self::streaming::Streaming;
pub(crate) use self::trouble::{CREDENTIALS, Trouble, chain};
pub(crate) use self::watches::{Started, Watches, Watching};
