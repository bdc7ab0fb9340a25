//! Setup of the log and of the span export.

use std::io::IsTerminal;
use std::sync::Arc;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, reload};

use super::error::Result;
#[cfg(feature = "otlp")]
use super::error::{Error, Reason};
use super::json_line::JsonLine;
use super::log_line::OneLine;

/// The log filter, unless another one is given.
pub(super) const DEFAULT: &str = "info";

/// Replaces the log filter. Returns whether the log has one that can be replaced.
pub(super) type SetFilter = Arc<dyn Fn(EnvFilter) -> bool + Send + Sync>;

/// Parses a log filter.
///
/// It leaves out the log lines of kube's client: the operator logs its errors itself, once and with the fix.
pub(super) fn filter(text: &str) -> Result<EnvFilter, String> {
    let quiet = "kube_client=off,kube_runtime=error";
    EnvFilter::try_new(format!("{quiet},{text}")).map_err(|error| error.to_string())
}

/// The filter as a layer, and the function that replaces it.
pub(super) fn replaceable<S: tracing::Subscriber>(filter: EnvFilter) -> (reload::Layer<EnvFilter, S>, SetFilter) {
    let (layer, handle) = reload::Layer::new(filter);
    (layer, Arc::new(move |filter| handle.reload(filter).is_ok()))
}

/// The format of the log.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum LogFormat {
    /// One line of text per event
    Text,
    /// One JSON object per line; `spans` holds the pass with its object and id
    Json,
}

/// The running exports, and the log filter.
pub(super) struct Exports {
    #[cfg_attr(not(feature = "config"), expect(dead_code, reason = "only a file changes it"))]
    pub(super) set_filter: SetFilter,
    #[cfg(feature = "otlp")]
    spans: Option<crate::telemetry::otlp::Exporting>,
}

impl Exports {
    /// Sends the remaining spans, within this time at most.
    #[cfg_attr(not(feature = "otlp"), expect(clippy::unused_async, reason = "there is nothing to send"))]
    pub(super) async fn finish(self, within: std::time::Duration) {
        #[cfg(feature = "otlp")]
        if let Some(spans) = self.spans {
            spans.finish_within(within).await;
        }
        #[cfg(not(feature = "otlp"))]
        let _ = within;
    }
}

/// Writes the log to standard error, unless the program has already set a `tracing` subscriber.
#[cfg(not(feature = "otlp"))]
pub(super) fn begin(filter: EnvFilter, format: LogFormat) -> Result<Exports> {
    let (filter, set_filter) = replaceable(filter);
    let _ = tracing_subscriber::registry().with(filter).with(lines(format)).try_init();
    Ok(Exports { set_filter })
}

/// Like the version without the feature, and exports spans to the endpoint.
///
/// # Errors
/// The endpoint is invalid, or another subscriber is already set.
#[cfg(feature = "otlp")]
pub(super) fn begin(filter: EnvFilter, format: LogFormat, name: &str, endpoint: Option<&str>) -> Result<Exports> {
    let unusable = |headline: String, help: &str| Error::new(Reason::Config, headline, help);
    let (layer, spans) = match endpoint.map(|endpoint| crate::telemetry::otlp::layer(name, endpoint)).transpose() {
        Ok(layer) => layer.unzip(),
        Err(error) => return Err(unusable(error.to_string(), "give the base URL of a collector with `--otlp`")),
    };
    let (filter, set_filter) = replaceable(filter);
    let set = tracing_subscriber::registry().with(filter).with(layer).with(lines(format)).try_init();
    match (set, &spans) {
        (Err(_), Some(_)) => {
            let help = "add `evenkeel::otlp::layer` to the subscriber, and leave out `--otlp`";
            Err(unusable("spans cannot be exported: the program has set its own subscriber".into(), help))
        }
        _ => Ok(Exports { set_filter, spans }),
    }
}

fn lines<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a> + Send + Sync,
{
    match format {
        LogFormat::Text => lines_to(std::io::stderr, std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => objects_to(std::io::stderr).boxed(),
    }
}

/// Writes each event as one JSON object in one line.
pub(super) fn objects_to<S, W>(writer: impl Fn() -> W + Send + Sync + 'static) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    W: std::io::Write + 'static,
{
    tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_writer(move || JsonLine(writer()))
}

/// Writes each event as one line.
pub(super) fn lines_to<S, W>(writer: impl Fn() -> W + Send + Sync + 'static, colours: bool) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    W: std::io::Write + 'static,
{
    tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(colours).fmt_fields(OneLine)
}
