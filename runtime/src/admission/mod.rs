//! Reviews of writes before the API server stores them: `#[validate]` and `#[mutate]` functions, the HTTP service that calls them, and their
//! webhook configurations.
//!
//! The [guide](crate::guide::admission) has an example.

#[cfg(feature = "operator")]
mod configuration;
#[cfg(feature = "operator")]
mod entries;
#[cfg(feature = "operator")]
mod entry;
#[cfg(feature = "operator")]
mod envelope;
#[cfg(feature = "operator")]
mod erased;
#[cfg(feature = "operator")]
mod function_set;
#[cfg(feature = "operator")]
mod json_diff;
#[cfg(feature = "operator")]
mod label_selector;
#[cfg(feature = "operator")]
mod reads;
#[cfg(feature = "operator")]
mod reply;
#[cfg(feature = "operator")]
mod run;
#[cfg(feature = "operator")]
mod service;
#[cfg(feature = "operator")]
mod unchanged;
#[cfg(feature = "operator")]
mod wire_path;

#[cfg(feature = "operator")]
pub use self::configuration::{WebhookConfigurations, WebhookTarget};
#[cfg(feature = "operator")]
pub(crate) use self::entries::{Entries, OwnKind, Refusal};
#[cfg(feature = "operator")]
pub(crate) use self::erased::Function;
#[cfg(feature = "operator")]
#[doc(hidden)]
pub use self::function_set::AdmissionSet;
#[cfg(feature = "operator")]
pub(crate) use self::reads::Backend;
#[cfg(feature = "operator")]
pub use self::service::AdmissionService;
#[cfg(feature = "operator")]
pub(crate) use self::service::Slot;
#[doc(hidden)]
pub use crate::pipeline::admission::DependencyList;
pub use crate::wiring::admission::{AdmissionWiring, Failure, Operation};
