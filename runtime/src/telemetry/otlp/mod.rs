//! Spans to a collector, by OTLP over HTTP: each pass is a trace of its own.
//!
//! `Operator::run_cli` exports them to `--otlp http://localhost:4318` beside writing the log. Whoever sets a subscriber of `tracing`
//! adds the [`layer`] to it. It exports what the filter of the subscriber lets through, the author's own spans included; logged lines
//! become events of their spans. What is sent is what [the guide](crate::guide::diagnostics) names: no specs and no data.

mod client;

use std::fmt;
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use self::client::{Client, PATIENCE};

/// Why nothing can be exported.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The export under way.
#[derive(Debug)]
#[must_use = "what is not sent yet is lost unless this is finished"]
pub struct Exporting(SdkTracerProvider);

impl Exporting {
    /// Sends what is not sent yet, and ends the export.
    pub async fn finish(self) {
        self.finish_within(PATIENCE).await;
    }

    /// As [`finish`](Self::finish), within this time at most.
    pub(crate) async fn finish_within(self, limit: Duration) {
        // It waits for a thread that needs this runtime.
        let limit = limit.min(PATIENCE);
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(limit)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// A layer that exports spans as those of the service `name` to a collector, and the export itself. The endpoint is the base, as in
/// `http://localhost:4318`: `/v1/traces` is added to it. It has to be plain HTTP; a collector beside the operator adds TLS and tokens.
///
/// # Errors
/// The endpoint is no such URL.
///
/// # Panics
/// Outside of a tokio runtime.
pub fn layer<S>(name: &str, endpoint: &str) -> Result<(impl Layer<S> + use<S>, Exporting), Error>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let client = Client::to(endpoint).map_err(Error)?;
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    let exporter =
        SpanExporter::builder().with_http().with_http_client(client).with_endpoint(url).with_timeout(PATIENCE);
    let exporter =
        exporter.build().map_err(|error| Error(format!("the endpoint {endpoint} cannot be used: {error}")))?;
    let resource = Resource::builder().with_service_name(name.to_owned()).build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("evenkeel"));
    Ok((layer.with_filter(filter_fn(belongs_to_a_trace)), Exporting(provider)))
}

/// The span of the operator lasts as long as the program: with it, all passes were one trace that never ends.
fn belongs_to_a_trace(metadata: &Metadata<'_>) -> bool {
    !(metadata.is_span() && metadata.name() == "operator" && metadata.target().starts_with("evenkeel"))
}
