//! Dependents: the set of objects that a step wants, and that evenkeel creates, updates, waits for and deletes.
//!
//! A step with `dependents(..)` fills a [`Wanted`] and hands it to [`Cx::converge`](crate::Cx::converge). Objects are applied wave by wave, and
//! each wave waits until the one before is ready. Objects that the step no longer wants are deleted, in reverse order of what depends on them.
//! The source of the rules is the component reconciler of SAP.

pub use crate::dependency::{InvalidStatusHint, ObjectStatus, StatusHints};
pub use crate::dependent_rules::manifest::InvalidManifest;
pub use crate::dependent_rules::policy::{
    AdoptionPolicy, DeletePolicy, MissingNamespacesPolicy, Policies, ReconcilePolicy, UnknownValue, UpdatePolicy,
};
pub use crate::pipeline::dependents::{
    Converge, Converged, Converges, Dependents, DependentsError, Entry, Site, Wanted,
};
#[cfg(feature = "programs")]
pub use crate::pipeline::dependents::{HelmChart, Kustomization};
#[cfg(feature = "templates")]
pub use crate::pipeline::dependents::{Renders, Source, SourceError, TemplateError, Templates};
pub use crate::pipeline::permission::{DependentOf, KeptBy};
pub use crate::status::{NotReadyObject, SetObject, SetStatus, SetStatuses, StoresDependents};

// Messages of rustc name these by this path.
#[doc(hidden)]
pub use crate::pipeline::dependents::{ConvergedOutput, TypeList, returns_dependents, stores_dependents, type_texts};
// The rules, for tests of them. Not part of the API.
#[doc(hidden)]
pub use crate::dependent_rules::{manifest, order, plan, policy, response};
