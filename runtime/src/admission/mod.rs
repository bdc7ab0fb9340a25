//! Reviews of writes before the API server stores them: `#[validate]` and `#[mutate]` functions, the HTTP service that calls them, and their
//! webhook configurations.
//!
//! The [guide](crate::guide::admission) has an example.

#[cfg(feature = "webhooks")]
mod configuration;
#[cfg(feature = "webhooks")]
mod entries;
#[cfg(feature = "webhooks")]
mod entry;
#[cfg(feature = "webhooks")]
mod envelope;
#[cfg(feature = "webhooks")]
mod erased;
#[cfg(feature = "webhooks")]
mod function_set;
#[cfg(feature = "webhooks")]
mod json_diff;
#[cfg(feature = "webhooks")]
mod label_selector;
#[cfg(feature = "webhooks")]
mod raw_object;
#[cfg(feature = "webhooks")]
mod reads;
#[cfg(feature = "webhooks")]
mod reply;
#[cfg(feature = "webhooks")]
mod run;
#[cfg(feature = "webhooks")]
mod service;
#[cfg(feature = "webhooks")]
mod unchanged;
#[cfg(feature = "webhooks")]
mod wire_path;

#[cfg(feature = "webhooks")]
pub use self::configuration::{WebhookConfigurations, WebhookTarget};
#[cfg(feature = "webhooks")]
pub(crate) use self::entries::{Entries, OwnKind, Refusal};
#[cfg(feature = "webhooks")]
pub(crate) use self::erased::Function;
#[cfg(feature = "webhooks")]
#[doc(hidden)]
pub use self::function_set::AdmissionSet;
#[cfg(feature = "webhooks")]
pub(crate) use self::reads::Backend;
#[cfg(feature = "webhooks")]
pub use self::service::AdmissionService;
#[cfg(feature = "webhooks")]
pub(crate) use self::service::Slot;
#[doc(hidden)]
pub use crate::pipeline::admission::DependencyList;
pub use crate::wiring::admission::{AdmissionWiring, Failure, Operation};
