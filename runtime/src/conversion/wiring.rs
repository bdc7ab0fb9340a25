//! What `#[convert]` prints: its declarations, and its functions with JSON in place of their types.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kind::{Kind, KindInfo};

/// A function of an author.
pub type Conversion<A, B> = fn(A) -> B;

/// The same function for JSON. The error describes what does not fit the type.
type Erased = fn(Value) -> Result<Value, String>;

/// The conversion of a spec or of a status.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct ConvertFunctions {
    pub up: Erased,
    pub down: Erased,
    /// Decodes the part of the served version and encodes it again.
    pub spoke: Erased,
    /// The same for the stored version.
    pub hub: Erased,
}

/// The declarations of a conversion.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct ConversionWiring {
    /// The version that is served.
    pub spoke: VersionInfo,
    /// The version that is stored.
    pub hub: VersionInfo,
    pub spec: ConvertFunctions,
    /// `None`: the status is copied.
    pub status: Option<ConvertFunctions>,
    /// The paths that are stashed, in the names of Rust; empty: all. `None`: nothing is stashed.
    pub stash: Option<&'static [&'static [&'static str]]>,
    /// The paths that are lost on purpose, in the names of Rust.
    pub lossy: &'static [&'static [&'static str]],
    /// The warning for requests in this version.
    pub deprecated: Option<&'static str>,
}

/// A version without its type.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct VersionInfo {
    pub kind: fn() -> KindInfo,
    /// The CRD with this version alone.
    pub definition: fn() -> CustomResourceDefinition,
}

impl VersionInfo {
    const fn of<K: Kind + CustomResourceExt>() -> Self {
        Self { kind: KindInfo::of::<K>, definition: K::crd }
    }
}

impl ConversionWiring {
    /// The conversion of a spec, without further declarations.
    #[must_use]
    pub const fn between<S: Kind + CustomResourceExt, H: Kind + CustomResourceExt>(spec: ConvertFunctions) -> Self {
        let (spoke, hub) = (VersionInfo::of::<S>(), VersionInfo::of::<H>());
        Self { spoke, hub, spec, status: None, stash: None, lossy: &[], deprecated: None }
    }

    /// The conversion that changes nothing, in place of one with an error.
    pub const INVALID: Self = {
        const NOTHING: ConvertFunctions = ConvertFunctions { up: Ok, down: Ok, spoke: Ok, hub: Ok };
        let info = VersionInfo { kind: KindInfo::of::<CustomResourceDefinition>, definition: Default::default };
        Self { spoke: info, hub: info, spec: NOTHING, status: None, stash: None, lossy: &[], deprecated: None }
    };
}

/// Calls the function of the author.
///
/// # Errors
/// The value does not fit the type of the parameter. The message names the field.
pub fn convert<A: DeserializeOwned, B: Serialize>(value: Value, function: Conversion<A, B>) -> Result<Value, String> {
    encode(&function(decode(value)?))
}

/// Decodes the value, and encodes it again: values that mean the same become equal.
///
/// # Errors
/// The value does not fit the type. The message names the field.
pub fn convert_to_itself<T: DeserializeOwned + Serialize>(value: Value) -> Result<Value, String> {
    encode(&decode::<T>(value)?)
}

#[cfg(feature = "operator")]
fn decode<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| match error.path().to_string().as_str() {
        "." => error.inner().to_string(),
        path => format!("{path}: {}", error.inner()),
    })
}

#[cfg(not(feature = "operator"))]
fn decode<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn encode(value: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|error| format!("the result cannot be written as JSON: {error}"))
}
