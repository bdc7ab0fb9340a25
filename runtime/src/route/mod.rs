//! Requests of users about an object: `#[route]` functions, and the HTTP service that authenticates, authorizes and calls.
//!
//! The [guide](crate::guide::routes) has an example.

#[cfg(feature = "routes")]
mod credentials;
#[cfg(feature = "routes")]
mod erased;
#[cfg(feature = "routes")]
mod function_set;
#[cfg(feature = "routes")]
mod object;
#[cfg(feature = "routes")]
mod respond;
#[cfg(feature = "routes")]
mod service;
#[cfg(feature = "routes")]
mod table;
#[cfg(feature = "routes")]
mod template;

#[cfg(feature = "routes")]
pub(crate) use self::erased::Route;
#[cfg(feature = "routes")]
#[doc(hidden)]
pub use self::function_set::RouteSet;
#[cfg(feature = "routes")]
pub(crate) use self::object::Objects;
#[cfg(feature = "routes")]
pub(crate) use self::service::RouteService;
#[cfg(feature = "routes")]
pub(crate) use self::table::{Refusal, Table};
pub use crate::pipeline::route::{Call, Reply, RouteFunction};
pub use crate::wiring::route::{Method, RouteWiring};
