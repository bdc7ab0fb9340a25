//! Responses of the API server: what they say about the fields of a manifest.

mod applied_fields;
mod immutable_field;

pub use self::applied_fields::applied_fields;
pub use self::immutable_field::immutable_field;
