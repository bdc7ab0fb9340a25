//! Long operations outside of the cluster, recorded in the object while they run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An operation that was started outside the cluster and has not been seen to end: a field of the author's status, which
/// [`Cx::operation`](crate::Cx::operation) keeps.
///
/// ```ignore
/// #[status]
/// pub struct DatabaseStatus {
///     pub creation: Option<RemoteOperation>,
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoteOperation {
    /// By what the other side knows it. Everybody who reads the object sees it, so it must be no secret.
    pub handle: String,
    /// The generation of the object for which it was started.
    pub generation: i64,
}
