//! The configuration file: its values with their places, its checks, and its reload.

#[cfg(feature = "config")]
mod document;
#[cfg(feature = "config")]
mod file;
mod fingerprint;
#[cfg(feature = "config")]
mod live;
#[cfg(feature = "config")]
mod node;
#[cfg(feature = "config")]
mod problem;
#[cfg(feature = "config")]
mod reload;
#[cfg(feature = "config")]
mod section;
#[cfg(all(test, feature = "config"))]
mod tests;

#[cfg(feature = "config")]
pub(crate) use self::document::{Document, Entry, SETTINGS};
#[cfg(feature = "config")]
pub(crate) use self::file::read_once;
pub(crate) use self::fingerprint::Fingerprint;
#[cfg(feature = "config")]
pub use self::live::Live;
#[cfg(feature = "config")]
pub(crate) use self::node::Node;
#[cfg(feature = "config")]
pub(crate) use self::problem::Problem;
#[cfg(feature = "config")]
pub(crate) use self::reload::{Accepted, Reload, Status};
#[cfg(feature = "config")]
pub(crate) use self::section::{Section, Settings};
