//! Responses of the API server: what they say about the fields of a manifest.

mod applied_fields;
mod field_managers;
mod field_owner;
mod immutable_field;
mod replicas;

pub use self::applied_fields::applied_fields;
pub use self::field_managers::{is_kubectl, taken_over};
pub use self::field_owner::FieldOwner;
pub use self::immutable_field::immutable_field;
pub use self::replicas::{owns_replicas, without_replicas};
