//! Decodes a JSON tree as a type.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Decodes the tree, by the deserializer that names the field of an object that does not fit: each further one is compiled for each type.
///
/// # Errors
/// The tree does not fit the type.
#[cfg(feature = "operator")]
pub(crate) fn from_tree<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    T::deserialize(serde_path_to_error::Deserializer::new(value, &mut serde_path_to_error::Track::new()))
}

/// The same. Without an operator nothing else decodes the type.
///
/// # Errors
/// The tree does not fit the type.
#[cfg(not(feature = "operator"))]
pub(crate) fn from_tree<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    T::deserialize(value)
}
