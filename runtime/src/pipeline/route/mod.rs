//! The functions that answer requests of users about an object: what their authors use, and what their macro implements.

mod call;
mod function;
pub(crate) mod meter;
mod reply;

pub use self::call::Call;
#[cfg(feature = "routes")]
pub(crate) use self::call::UserRequest;
pub use self::function::{Answers, RouteFunction, RouteOutput, answered};
pub use self::reply::Reply;
