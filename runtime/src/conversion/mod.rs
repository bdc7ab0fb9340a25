//! Conversion between the served versions of a kind: `#[convert]`, the conversion of objects, and the HTTP service that the API server calls.
//!
//! The [guide](crate::guide::conversion) has an example.

#[cfg(feature = "operator")]
mod annotation;
#[cfg(feature = "operator")]
mod converter;
#[cfg(feature = "operator")]
mod difference;
#[cfg(feature = "webhooks")]
mod envelope;
#[cfg(feature = "operator")]
mod guarded;
#[cfg(feature = "webhooks")]
mod meter;
#[cfg(feature = "operator")]
mod raw_object;
mod registered;
#[cfg(feature = "webhooks")]
mod reply;
#[cfg(feature = "webhooks")]
mod service;
#[cfg(feature = "operator")]
mod setup_error;
mod spoke;
#[cfg(feature = "operator")]
mod stash;
#[cfg(feature = "operator")]
mod version;
mod wiring;

#[cfg(feature = "operator")]
#[doc(hidden)]
pub use self::converter::{Converted, Converter, Ended};
#[cfg(feature = "webhooks")]
pub(crate) use self::meter::MeterSlot;
#[cfg(all(feature = "metrics", feature = "webhooks"))]
pub(crate) use self::meter::{ConversionResult, CountsConversions};
#[doc(hidden)]
pub use self::registered::RegisteredSpoke;
#[cfg(feature = "webhooks")]
pub(crate) use self::registered::described;
#[cfg(feature = "webhooks")]
pub use self::service::ConversionService;
#[cfg(feature = "operator")]
#[doc(hidden)]
pub use self::setup_error::SetupError;
pub use self::spoke::Spoke;
#[doc(hidden)]
pub use self::spoke::{
    Checked, ConvertedSpecOf, ConvertedStatusOf, Version, VersionWithStatus, has_status, is_version,
};
#[doc(hidden)]
pub use self::wiring::{Conversion, ConversionWiring, ConvertFunctions, VersionInfo, convert, convert_to_itself};
