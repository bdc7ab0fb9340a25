//! A PostgreSQL server of one's own, started by `examples/postgres.sh` and gone with this process, however it ends.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::sql::Database;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/postgres.sh");

/// A server that runs as long as this value, or the process.
#[derive(Debug)]
pub struct Host {
    child: Child,
    /// The connection string of its superuser.
    pub url: String,
}

impl Host {
    /// Starts one on a free port of loopback; it takes some seconds.
    ///
    /// # Errors
    /// PostgreSQL cannot be installed or started; what the script says of it goes to standard error.
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

    /// The server.
    ///
    /// # Errors
    /// The script printed something else than a connection string.
    pub fn database(&self) -> Result<Database, String> {
        Database::parse(&self.url)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The script ends when its input does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
