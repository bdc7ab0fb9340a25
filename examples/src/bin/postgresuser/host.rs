//! A local PostgreSQL server, started by `examples/postgres.sh` and stopped with this process, however it ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::sql::Database;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/postgres.sh");

/// A server that runs until this value is dropped or the process ends.
#[derive(Debug)]
pub struct Host {
    child: Child,
    /// The connection string of its superuser.
    pub url: String,
}

impl Host {
    /// Starts a server on a free port of loopback, which takes some seconds.
    ///
    /// # Errors
    /// PostgreSQL cannot be installed or started; the script logs to standard error.
    pub fn start() -> Result<Self, String> {
        let failed = |error| format!("cannot run {SCRIPT}: {error}");
        let child = Command::new(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let mut host = Self { child, url: String::new() };
        if let Some(output) = host.child.stdout.take() {
            BufReader::new(output).read_line(&mut host.url).map_err(failed)?;
        }
        host.url = host.url.trim().to_owned();
        if host.url.is_empty() {
            return Err("no PostgreSQL server could be started; give the connection string of one: --database".into());
        }
        Ok(host)
    }

    /// Returns the server.
    ///
    /// # Errors
    /// The output of the script is not a connection string.
    pub fn database(&self) -> Result<Database, String> {
        Database::parse(&self.url)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The script ends when its input is closed.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
