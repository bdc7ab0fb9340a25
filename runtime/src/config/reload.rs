//! The reload of a configuration file: what is invalid changes nothing.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;

use super::file::read;
use super::problem::Problem;

/// The time between two looks at the file. The kubelet replaces a mounted file about once a minute.
const INTERVAL: Duration = Duration::from_secs(10);

/// How long a new content must stay the same: a file that is still being written is not read.
const SETTLED: Duration = Duration::from_secs(1);

/// A content that is valid.
pub(crate) struct Accepted {
    /// The keys that need a restart.
    pub(crate) pending: Vec<String>,
    /// Puts everything else in force, and returns what has changed.
    pub(crate) apply: Box<dyn FnOnce() -> Vec<&'static str> + Send>,
}

/// Checks the content of a file.
pub(crate) type Check = Box<dyn Fn(&str) -> Result<Accepted, Problem> + Send + Sync>;

/// The state of a file, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    /// Whether the present content is rejected.
    pub(crate) rejected: bool,
    /// How many keys need a restart.
    pub(crate) pending: usize,
}

/// A configuration file whose first content is in force.
pub(crate) struct Reload {
    path: PathBuf,
    in_force: String,
    check: Check,
    status: watch::Sender<Status>,
    rejected: Option<Result<String, Problem>>,
    pending: Vec<String>,
}

impl Reload {
    pub(crate) fn new(path: PathBuf, in_force: String, check: Check, status: watch::Sender<Status>) -> Self {
        Self { path, in_force, check, status, rejected: None, pending: Vec::new() }
    }

    /// Looks at the file for ever.
    pub(crate) async fn run(mut self) -> Infallible {
        loop {
            tokio::time::sleep(INTERVAL).await;
            let found = read(&self.path).await;
            if self.is_known(&found) {
                self.settle(&found);
                continue;
            }
            if found.is_ok() {
                tokio::time::sleep(SETTLED).await;
                if read(&self.path).await != found {
                    continue;
                }
            }
            self.take(found);
        }
    }

    fn is_known(&self, found: &Result<String, Problem>) -> bool {
        found.as_ref() == Ok(&self.in_force) || self.rejected.as_ref() == Some(found)
    }

    /// Takes note of a content that is in force already.
    fn settle(&mut self, found: &Result<String, Problem>) {
        if found.as_ref() == Ok(&self.in_force) && self.rejected.take().is_some() {
            tracing::info!(file = %self.path.display(), "the configuration file is valid again, and unchanged");
            self.report();
        }
    }

    /// Puts a new content in force, or rejects it.
    pub(super) fn take(&mut self, found: Result<String, Problem>) {
        match found.as_deref().map_err(Clone::clone).and_then(|text| (self.check)(text)) {
            Ok(accepted) => self.accept(found.unwrap_or_default(), accepted),
            Err(problem) => self.reject(found, &problem),
        }
        self.report();
    }

    fn accept(&mut self, text: String, Accepted { pending, apply }: Accepted) {
        (self.in_force, self.rejected) = (text, None);
        let changed = apply().join(", ");
        tracing::info!(file = %self.path.display(), changed, "the configuration file was read again");
        if !pending.is_empty() && pending != self.pending {
            let keys = pending.join(", ");
            tracing::warn!(file = %self.path.display(), keys, "these keys have changed and need a restart of the operator");
        }
        self.pending = pending;
    }

    fn reject(&mut self, found: Result<String, Problem>, problem: &Problem) {
        tracing::warn!(
            file = %problem.in_file(&self.path),
            error = problem.text,
            help = problem.help,
            "the configuration file is rejected; the former one stays in force"
        );
        self.rejected = Some(found);
    }

    fn report(&self) {
        self.status.send_replace(Status { rejected: self.rejected.is_some(), pending: self.pending.len() });
    }
}
