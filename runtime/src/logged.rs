//! Captured log lines, for tests.

use std::fmt::{Debug, Write};
use std::io;
use std::sync::{Arc, LazyLock, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber, subscriber};

/// Two further subscribers. With a single subscriber, the first thread that reaches an event decides for all threads whether the event is
/// enabled (tracing-core: `Rebuilder::JustOne`). A test without a subscriber would disable an event that another test expects.
static OTHERS: LazyLock<[Dispatch; 2]> = LazyLock::new(|| [0; 2].map(|_| Dispatch::new(Lines::default())));

/// The lines that the code logs, of all levels: the message, then the fields.
pub(crate) fn logged(run: impl FnOnce()) -> Vec<String> {
    LazyLock::force(&OTHERS);
    let lines = Lines::default();
    subscriber::with_default(lines.clone(), run);
    std::mem::take(&mut lines.0.lock().unwrap())
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

/// The message and the fields of an event.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            name => write!(self.fields, " {name}={value:?}").unwrap(),
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        self.0.lock().unwrap().push(line.message + &line.fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// A writer that collects what is written.
#[derive(Clone, Default)]
pub(crate) struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
