//! The certificate of the webhook server: self-made and renewed with an overlap, or files of another tool.

mod bundle;
mod calls;
mod expiry;
mod files;
mod keeper;
mod names;
mod pair;
mod rotation;
mod secret;
mod served;
mod server_time;
mod source;

pub(crate) use self::files::Files;
pub(crate) use self::names::Names;
#[cfg(test)]
pub(super) use self::pair::{certified, tests_files, tests_pair};
#[cfg(feature = "doctor")]
pub(crate) use self::secret::EXPIRES;
pub(crate) use self::served::Served;
pub(crate) use self::source::Source;
