//! What an operator reports while it runs: metrics, probes, debug pages and spans.

#[cfg(feature = "metrics")]
pub(crate) mod metrics;
#[cfg(feature = "otlp")]
pub mod otlp;
