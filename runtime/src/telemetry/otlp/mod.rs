//! Exports spans to a collector by OTLP over HTTP. Each pass is a separate trace.
//!
//! With `--otlp http://localhost:4318`, `Operator::run_cli` exports spans and still writes the log. A program with its own `tracing`
//! subscriber adds the [`layer`] to it. The layer exports all spans that pass the subscriber's filter, including the program's own; log
//! lines become events of their spans. [The guide](crate::guide::diagnostics) lists the exported data, which never contains specs or other
//! object data.

mod client;

use std::fmt;
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use self::client::{Client, PATIENCE};

/// The error when an export cannot start.
#[derive(Debug)]
pub struct Error {
    message: String,
    source: Option<ExporterBuildError>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

/// A running export.
#[derive(Debug)]
#[must_use = "what is not sent yet is lost unless this is finished"]
pub struct Exporting(SdkTracerProvider);

impl Exporting {
    /// Sends the remaining spans and ends the export.
    pub async fn finish(self) {
        self.finish_within(PATIENCE).await;
    }

    /// Like [`finish`](Self::finish), with this time limit.
    pub(crate) async fn finish_within(self, limit: Duration) {
        // The shutdown blocks on a thread that needs this runtime.
        let limit = limit.min(PATIENCE);
        let ended = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(limit)).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// A layer that exports the spans of the service `name` to a collector, and the handle of the export.
///
/// The endpoint is a plain HTTP base URL (`http://localhost:4318`); `/v1/traces` is appended. A sidecar collector adds TLS and tokens.
///
/// # Errors
/// The endpoint is not a plain HTTP URL.
///
/// # Panics
/// Panics outside of a tokio runtime.
pub fn layer<S>(name: &str, endpoint: &str) -> Result<(impl Layer<S> + use<S>, Exporting), Error>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let client = Client::to(endpoint).map_err(|message| Error { message, source: None })?;
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    let exporter =
        SpanExporter::builder().with_http().with_http_client(client).with_endpoint(url).with_timeout(PATIENCE);
    let exporter = exporter.build().map_err(|source| Error {
        message: format!("the endpoint {endpoint} cannot be used: {source}"),
        source: Some(source),
    })?;
    let resource = Resource::builder().with_service_name(name.to_owned()).build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("evenkeel"));
    Ok((layer.with_filter(filter_fn(belongs_to_a_trace)), Exporting(provider)))
}

/// Excludes the span of the operator: it lasts as long as the program and would join all passes into one endless trace.
fn belongs_to_a_trace(metadata: &Metadata<'_>) -> bool {
    !(metadata.is_span() && metadata.name() == "operator" && metadata.target().starts_with("evenkeel"))
}
