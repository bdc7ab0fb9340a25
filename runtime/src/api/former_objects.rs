//! The calls for objects that an earlier tool left.

use super::{ApiError, BoxFuture};
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::policy::DeletePolicy;

/// The calls for a step with `previously(..)`.
pub trait FormerObjects {
    /// Marks the objects that the earlier tool of the step created for this component and that the set does not want. They are dependents of
    /// the set then, and so are removed as any other that is no longer wanted.
    ///
    /// # Errors
    /// A call failed.
    fn take_former<'a>(
        &'a self,
        step: &'a str,
        wanted: &'a [ObjectId],
        delete: DeletePolicy,
    ) -> BoxFuture<'a, Result<(), ApiError>>;
}
