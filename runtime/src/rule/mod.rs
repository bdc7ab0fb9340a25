//! Rules about the objects of a kind, which the API server checks itself: `#[rule]`.
//!
//! A rule is a function. The attribute also reads its body as an [`Expression`](expression::Expression), which is printed as CEL for the schema of
//! the kind.

#[cfg(feature = "operator")]
mod admission_policy;
#[cfg(feature = "operator")]
mod cel;
#[cfg(feature = "operator")]
mod definition;
pub mod expression;
#[cfg(feature = "webhooks")]
mod hub_policy;
mod located;
mod registered;
mod request;

#[cfg(feature = "operator")]
pub use self::admission_policy::AdmissionPolicy;
#[cfg(feature = "operator")]
pub use self::cel::RuleError;
#[cfg(all(feature = "conversion", feature = "operator"))]
pub(crate) use self::cel::wire_path;
pub use self::located::{At, Located};
pub use self::registered::{Declared, Form, Registered, Rule, Rules};
pub use self::request::{Operation, Request, User};
