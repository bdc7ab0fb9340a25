//! The operator in a separate process, which a test can kill like `kill -9`.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// A test of the same binary that runs as a process. It ends when this value is dropped, and with its parent.
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts the ignored test `test` of this binary with these variables. Its output is appended to the file `log`.
    ///
    /// # Panics
    /// It cannot be started.
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

    /// Kills it at once.
    ///
    /// # Panics
    /// It cannot be killed.
    pub fn kill(&mut self) {
        self.child.kill().expect("the operator can be killed");
        self.child.wait().expect("the operator ends");
    }

    /// Stops all its threads (`SIGSTOP`), and returns when they have stopped.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn stop(&self) {
        kill_process(self.id(), Signal::STOP).expect("the operator can be stopped");
        // The signal is delivered to one thread: the others run on until that one is scheduled.
        let (_, status) = waitpid(Some(self.id()), WaitOptions::UNTRACED).expect("its state").expect("a new state");
        assert!(status.stopped(), "the operator has ended: {status:?}");
    }

    /// Lets its threads run again (`SIGCONT`).
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub fn resume(&self) {
        kill_process(self.id(), Signal::CONT).expect("the operator can be resumed");
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Whether it is still running.
    ///
    /// # Panics
    /// Its state cannot be read.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("the state of the operator").is_none()
    }

    /// Its output so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In the process of the operator: ends it when its parent is gone, however that ended.
pub fn end_with_parent() {
    std::thread::spawn(|| {
        // Standard input ends with the parent.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
}
