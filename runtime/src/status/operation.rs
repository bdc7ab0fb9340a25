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
#[non_exhaustive]
pub struct RemoteOperation {
    /// The identifier of the operation in the external system. It is visible to everyone who can read the object, so it must not be secret.
    pub handle: String,
    /// The generation of the object for which the operation was started.
    pub generation: i64,
}
