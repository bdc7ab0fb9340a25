//! Telemetry of an operator: metrics, probes, debug pages and spans.

#[cfg(feature = "metrics")]
pub(crate) mod metrics;
#[cfg(feature = "otlp")]
pub mod otlp;
