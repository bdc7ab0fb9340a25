//! Captures the log of an operator, for tests on a single-threaded runtime.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::subscriber::DefaultGuard;
use tracing_subscriber::EnvFilter;

use crate::capture::capture;

/// The lines logged on this thread since the capture began.
#[derive(Clone, Default)]
pub struct Logs(Arc<Mutex<Vec<u8>>>);

impl Logs {
    /// Captures until the guard is dropped.
    #[must_use]
    pub fn capture() -> (Self, DefaultGuard) {
        let logs = Self::default();
        let sink = logs.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_env_filter(EnvFilter::new("evenkeel=debug"))
            .with_writer(move || sink.clone())
            .finish();
        (logs, capture(subscriber))
    }

    /// The lines that contain all of the words.
    #[must_use]
    pub fn with(&self, words: &[&str]) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
        text.lines().filter(|line| words.iter().all(|word| line.contains(word))).map(ToOwned::to_owned).collect()
    }
}

impl io::Write for Logs {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
