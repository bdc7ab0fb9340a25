//! The kinds that an operator may reconcile, with their CRDs.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

use crate::kind::Kind;
use crate::pipeline::bare::Bare;
use crate::pipeline::object::Primary;

/// A kind that an operator reconciles: a custom resource of the program, or a [`Bare`] kind, which is installed without it.
#[diagnostic::on_unimplemented(
    message = "an operator cannot reconcile `{Self}`: the program has no CRD for it",
    label = "neither a custom resource nor `Bare<..>`",
    note = "derive `kube::CustomResource`, or reconcile `evenkeel::Bare<K>` if the kind is built in or of another project"
)]
pub trait ReconciledKind: Primary {
    /// The CRD that the program was built with; `None` if others install the kind.
    #[doc(hidden)]
    fn definition() -> Option<CustomResourceDefinition>;
}

#[diagnostic::do_not_recommend]
impl<K: Primary + CustomResourceExt> ReconciledKind for K {
    fn definition() -> Option<CustomResourceDefinition> {
        Some(K::crd())
    }
}

#[diagnostic::do_not_recommend]
impl<K: Kind + std::fmt::Debug> ReconciledKind for Bare<K> {
    fn definition() -> Option<CustomResourceDefinition> {
        None
    }
}
