//! The interface to the metrics of conversions. Without the feature `metrics` each call only checks an `Option`.

use std::sync::{Arc, OnceLock};

/// Records the metrics of conversions.
pub(crate) trait CountsConversions: Send + Sync {
    /// An object of the kind was converted to the version, or not.
    fn conversion(&self, crd: &str, version: &str, result: ConversionResult);
}

/// How the conversion of an object ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConversionResult {
    Converted,
    /// The object does not fit its type, and only its `apiVersion` is another.
    Undecodable,
    /// A function panicked, and only the `apiVersion` is another.
    Panic,
    /// The request failed.
    Refused,
}

#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who counts is in a feature"))]
impl ConversionResult {
    pub(crate) const ALL: [Self; 4] = [Self::Converted, Self::Undecodable, Self::Panic, Self::Refused];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Converted => "converted",
            Self::Undecodable => "undecodable",
            Self::Panic => "panic",
            Self::Refused => "refused",
        }
    }
}

/// Where the running operator puts its metrics.
#[derive(Clone, Default)]
pub(crate) struct MeterSlot(Arc<OnceLock<Arc<dyn CountsConversions>>>);

impl MeterSlot {
    /// Records from now on.
    #[cfg(feature = "metrics")]
    pub(crate) fn connect(&self, counts: Arc<dyn CountsConversions>) {
        // A second start of the same operator counts with the first one.
        let _ = self.0.set(counts);
    }

    pub(super) fn record(&self, crd: &str, version: &str, result: ConversionResult) {
        if let Some(counts) = self.0.get() {
            counts.conversion(crd, version, result);
        }
    }
}
