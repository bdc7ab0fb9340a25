//! Records the spans of an operator, for tests on a single-threaded runtime.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

use crate::capture::capture;

/// A span with its recorded fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Its name, after those of the enclosing spans: `operator > pass > step`.
    pub path: String,
    /// The step that encloses it directly.
    pub step: String,
    /// Its fields.
    pub fields: BTreeMap<String, String>,
}

impl Span {
    /// The value of a field; empty if it was not recorded.
    #[must_use]
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// The spans opened on this thread since the capture began.
#[derive(Clone, Default)]
pub struct Spans(Arc<Mutex<Vec<Span>>>);

/// The index of the span in the record.
struct At(usize);

impl Spans {
    /// Captures until the guard is dropped.
    #[must_use]
    pub fn capture() -> (Self, DefaultGuard) {
        let spans = Self::default();
        let filter = EnvFilter::builder().with_default_directive(LevelFilter::OFF.into()).parse_lossy("evenkeel=info");
        let subscriber = Registry::default().with(filter).with(spans.clone());
        (spans, capture(subscriber))
    }

    /// All spans in the order of their start.
    #[must_use]
    pub fn all(&self) -> Vec<Span> {
        self.lock().clone()
    }

    /// The values of these fields of all spans with this path, one line per span.
    #[must_use]
    pub fn values(&self, path: &str, fields: &[&str]) -> Vec<String> {
        let joined = |span: &Span| fields.iter().map(|name| span.field(name)).collect::<Vec<_>>().join(" ");
        self.lock().iter().filter(|span| span.path == path).map(joined).collect()
    }

    /// Clears the record.
    pub fn clear(&self) {
        // Open spans still have their index, so only their content is cleared.
        self.lock().iter_mut().for_each(|span| *span = Span::default());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Span>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Span {
    fn put(&mut self, field: &Field, value: impl Display) {
        let text = self.fields.entry(field.name().to_owned()).or_default();
        text.clear();
        let _ = write!(text, "{value}");
    }
}

impl Visit for Span {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.put(field, format_args!("{value:?}"));
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(opened) = context.span(id) else { return };
        let around: Vec<&str> = opened.scope().from_root().map(|span| span.name()).collect();
        let mut span = Span { path: around.join(" > "), ..Span::default() };
        attributes.record(&mut span);
        let parent = opened.parent().and_then(|parent| parent.extensions().get::<At>().map(|At(at)| *at));
        let mut all = self.lock();
        span.step = parent.map(|at| all[at].field("step").to_owned()).unwrap_or_default();
        opened.extensions_mut().insert(At(all.len()));
        all.push(span);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let extensions = span.extensions();
        if let Some(At(at)) = extensions.get() {
            values.record(&mut self.lock()[*at]);
        }
    }
}
