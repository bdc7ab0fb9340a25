//! The request that is under review, and the reads that a review may make.

use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::core::DynamicObject;

use super::field::Field;
use crate::api::{ApiError, BoxFuture, Target};
use crate::wiring::admission::Operation;

/// The parts of a request that a function can read, without the object.
pub(crate) struct ReviewRequest {
    pub(crate) user: UserInfo,
    pub(crate) operation: Operation,
    pub(crate) dry_run: bool,
    pub(crate) namespace: Option<String>,
}

/// What a review asks of the engine.
pub(crate) trait Reads: Send + Sync {
    /// Reads an object: from a cache that has it, otherwise from the API server.
    fn read(&self, target: Target) -> BoxFuture<'_, Result<Option<Arc<DynamicObject>>, ApiError>>;
    /// The path of a field of the reviewed kind on the wire.
    fn path(&self, field: &Field) -> String;
}

impl fmt::Debug for dyn Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reads")
    }
}
