//! The operator in a process of its own, which a test can kill as `kill -9` does.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A test of the same binary, run as a process. It ends with this value, and with the process that started it.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts the ignored test `test` of this binary with these variables. Its output is appended to the file `log`.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(test: &str, variables: &[(&str, String)], log: &Path) -> Self {
        let file = || File::options().create(true).append(true).open(log).expect("the log can be written");
        let mut command = Command::new(env::current_exe().expect("the path of this binary"));
        command.args(["--exact", test, "--ignored", "--nocapture"]);
        command.env("RUST_LOG", env::var("EVENKEEL_TRIALS_LOG").unwrap_or_else(|_| "evenkeel=info,warn".into()));
        command.envs(variables.iter().map(|(name, value)| (*name, value)));
        let child = command.stdin(Stdio::piped()).stdout(file()).stderr(file()).spawn().expect("the operator starts");
        Self { child, log: log.to_owned() }
    }

    /// Ends it at once.
    ///
    /// # Panics
    /// When it cannot be ended.
    pub fn kill(&mut self) {
        self.child.kill().expect("the operator can be killed");
        self.child.wait().expect("the operator ends");
    }

    /// Whether it still runs.
    ///
    /// # Panics
    /// When its state cannot be read.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("the state of the operator").is_none()
    }

    /// What it printed so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In the process of the operator: ends it when the process that started it is gone, however that ended.
pub fn end_with_parent() {
    std::thread::spawn(|| {
        // Standard input ends with the other process.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
