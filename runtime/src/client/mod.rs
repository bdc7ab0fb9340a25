//! The HTTP layer of passes and watches: client layers, `Retry-After`, and the stripping of responses.

mod agent;
mod answers;
mod connect;
mod declared_calls;
pub(crate) mod decode;
mod error_chain;
#[cfg(feature = "lease")]
mod fence;
mod fence_rule;
mod filtered_body;
#[cfg(feature = "http2")]
mod http2;
#[cfg(feature = "dependents")]
mod impersonating;
#[cfg(feature = "dependents")]
mod kubeconfig;
mod line_limit;
mod middleware;
mod observed_call;
mod own_pod;
#[cfg(all(feature = "lease", feature = "proxy"))]
mod proxy;
mod request_info;
mod shard_selector;
#[cfg(feature = "lease")]
mod stack;
mod strip_managed_fields;
#[cfg(test)]
#[cfg(all(feature = "lease", feature = "rustls-tls"))]
mod test_tls;
mod watch_lines;

pub(crate) use self::answers::Answers;
pub(crate) use self::connect::{Connect, configured};
pub(crate) use self::declared_calls::{DeclaredCalls, NotSent};
pub(crate) use self::error_chain::chain;
#[cfg(feature = "doctor")]
pub(crate) use self::error_chain::why;
#[cfg(feature = "lease")]
pub use self::fence::Fenced;
pub(crate) use self::fence_rule::{Ended, FenceRule};
#[cfg(feature = "dependents")]
pub(crate) use self::kubeconfig::client_of;
pub(crate) use self::line_limit::{LineTooLong, is_too_long};
#[cfg(feature = "dry-run")]
pub(crate) use self::middleware::{Calls, over};
pub(crate) use self::middleware::{counted, lean, metadata_only, named, watched};
pub(crate) use self::observed_call::{ANSWER, StepClient};
pub(crate) use self::own_pod::OwnPod;
#[cfg(feature = "dry-run")]
pub(crate) use self::request_info::Line;
pub(crate) use self::shard_selector::in_shard;
#[cfg(feature = "lease")]
pub(crate) use self::stack::{fenced, fenced_over};
