//! The terminal: logs on standard error, lines on standard output, the exit code.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

/// Sets up the logs and the TLS provider; call it once per process.
pub fn prepare() {
    let logs = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(std::io::stderr().is_terminal());
    // Logs are off by default, because the example uses the terminal.
    logs.with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"))).init();
    // Fails only if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Prints a line.
///
/// # Errors
/// Standard output cannot be written, for example because it was closed.
pub fn print_line(text: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{text}").map_err(|error| format!("cannot write to standard output: {error}"))
}

/// Prints the error on standard error and returns the exit code.
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
