//! Policies: what may be done with a dependent, from its annotations, the spec of its component and the defaults.

mod annotation;
mod policies;
mod settings;
mod words;

pub use self::annotation::{Annotations, InvalidAnnotation, PREFIX};
pub use self::policies::{Policies, PoliciesField};
pub use self::settings::{Overrides, Settings};
pub use self::words::{
    AdoptionPolicy, DeletePolicy, MissingNamespacesPolicy, ReconcilePolicy, UnknownValue, UpdatePolicy,
};
