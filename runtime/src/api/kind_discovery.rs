//! The kinds of a set that are known only when it is rendered.

use super::{ApiError, BoxFuture};
use crate::dependent_rules::manifest::TypeMeta;
use crate::kind::KindInfo;

/// The calls by which a step with `dependents(any)` finds and watches kinds.
pub trait KindDiscovery {
    /// The kind as its objects are watched at the site of the step; `None`: they are not watched.
    fn watched_kind(&self, step: &str, group: &str, kind: &str) -> Option<KindInfo>;
    /// Those of these types that the API server at the site of the step serves. A type without a version has that which the API server prefers.
    ///
    /// # Errors
    /// A group does not answer.
    fn served_kinds<'a>(
        &'a self,
        step: &'a str,
        types: &'a [TypeMeta],
    ) -> BoxFuture<'a, Result<Vec<KindInfo>, ApiError>>;
    /// Watches the dependents of these kinds at the site of the step, too, and waits until they are listed.
    ///
    /// # Errors
    /// A watch fails or takes too long.
    fn watch_kinds<'a>(&'a self, step: &'a str, kinds: Vec<KindInfo>) -> BoxFuture<'a, Result<(), ApiError>>;
}
