//! Objects of others that the deletion of a dependent would delete, too, and namespaces that are missing.

use super::{ApiError, BoxFuture};
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::order::TypePattern;

/// The types whose objects are looked for.
#[derive(Clone, Copy, Debug)]
pub enum Types<'a> {
    /// What the CRD of this name defines: `certificates.cert-manager.io`.
    Crd(&'a str),
    /// What the APIService of this name serves: `v1beta1.metrics.k8s.io`.
    ApiService(&'a str),
    /// Every type that matches.
    Matching(&'a TypePattern),
}

/// The calls for objects that are no dependents of the component.
pub trait OtherObjects: Send + Sync {
    /// Lists the first objects of some types, as the API server at the site of the step has them now, that are no dependents of these sets.
    ///
    /// # Errors
    /// A call failed. A type that is not served has no objects.
    fn instances<'a>(
        &'a self,
        step: &'a str,
        types: Types<'a>,
        except: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>>;
    /// Describes what a namespace at the site of the step contains now that would be missed: an object, or a kind that cannot be listed.
    ///
    /// # Errors
    /// The kinds of the API server could not be read.
    fn content<'a>(&'a self, step: &'a str, namespace: &'a str) -> BoxFuture<'a, Result<Vec<String>, ApiError>>;
    /// Creates a namespace that is no dependent. Returns whether it did not exist.
    ///
    /// # Errors
    /// The call failed.
    fn create_namespace<'a>(&'a self, step: &'a str, name: &'a str) -> BoxFuture<'a, Result<bool, ApiError>>;
}
