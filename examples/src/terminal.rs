//! The terminal: logs on standard error, lines on standard output, the exit code.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

/// Starts the logs and chooses the provider of TLS, once per process.
pub fn prepare() {
    let logs = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    // Silent unless asked: what the example shows has the terminal.
    logs.with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"))).init();
    // Fails only where a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Prints a line.
///
/// # Errors
/// Standard output cannot be written: it may have been closed.
pub fn say(text: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| format!("cannot write to standard output: {error}"))
}

/// The exit code; tells the error on standard error.
#[must_use]
pub fn end(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
