//! The operator under test: a process with a kubeconfig.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Result;
use crate::gate::Victim;

/// A running operator. It is killed when this value is dropped.
pub struct Operator(Victim);

impl Operator {
    /// Starts a command, and appends its output to the log.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let log = File::options().create(true).append(true).open(log)?;
        let command = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
        Ok(Self(Arc::new(Mutex::new(child))))
    }

    #[must_use]
    pub fn victim(&self) -> Victim {
        self.0.clone()
    }

    /// Kills it with SIGKILL, and waits for its end.
    pub fn kill(&self) {
        let mut child = self.child();
        // It may have ended already.
        _ = child.kill();
        _ = child.wait();
    }

    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self.child().try_wait(), Ok(None))
    }

    /// The proportional share of memory in bytes, which counts shared pages by the number of their users.
    pub fn pss(&self) -> Result<u64> {
        pss_of(&std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child().id()))?)
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.kill();
    }
}

fn pss_of(rollup: &str) -> Result<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).ok_or("no line Pss")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_the_proportional_share() {
        let rollup =
            "55f0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:   1300 kB\nPss:            1200 kB\nPss_Dirty: 8 kB\n";
        assert_eq!(pss_of(rollup).unwrap(), 1200 * 1024);
        assert!(pss_of("").is_err());
    }
}
