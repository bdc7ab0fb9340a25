//! One run of a program, with limits of time and output.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
// Not that of tokio: other programs do not follow a virtual clock.
use std::time::{Duration, Instant};

/// How much of the error output is kept, in bytes.
const MOST_ERRORS: u64 = 8 << 10;
/// The longest time limit.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How often a program that has closed its output is asked whether it has ended.
const POLL: Duration = Duration::from_millis(5);

/// The end of a program.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) output: Vec<u8>,
    pub(super) errors: Vec<u8>,
}

/// The limits of a run.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// The longest output, in bytes.
    pub(super) output: u64,
}

/// Why there is no output.
#[derive(Debug)]
pub(super) enum Failure {
    NotStarted(io::Error),
    Late,
    TooLong,
    Lost(io::Error),
}

/// A started program. It is killed, with all programs that it has started, unless it has ended.
struct Running {
    child: Child,
    has_ended: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        #[cfg(unix)]
        if let Ok(Some(group)) = i32::try_from(self.child.id()).map(rustix::process::Pid::from_raw) {
            // An error means that all have ended. The number is not given away before `wait`.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn status(&mut self, until: Instant) -> Result<ExitStatus, Failure> {
        loop {
            if let Some(status) = self.child.try_wait().map_err(Failure::Lost)? {
                self.has_ended = true;
                return Ok(status);
            }
            if Instant::now() >= until {
                return Err(Failure::Late);
            }
            thread::sleep(POLL);
        }
    }
}

/// Runs the program in a process group of its own. Blocks until it has ended.
pub(super) fn run(command: &mut Command, input: Vec<u8>, limits: Limits) -> Result<Ended, Failure> {
    let until = Instant::now() + limits.time.min(LONGEST);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut running = Running { child: command.spawn().map_err(Failure::NotStarted)?, has_ended: false };
    let child = &mut running.child;
    if let Some(mut stdin) = child.stdin.take() {
        // A program may end without reading its input, which closes the pipe.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let output = child.stdout.take().map(|stdout| read(stdout, limits.output + 1));
    let errors = child.stderr.take().map(|stderr| read(stderr, MOST_ERRORS));
    let output = all(output, until)?;
    if output.len() as u64 > limits.output {
        return Err(Failure::TooLong);
    }
    let status = running.status(until)?;
    Ok(Ended { status, output, errors: all(errors, until).unwrap_or_default() })
}

/// Reads the first bytes on a thread of its own, which drops the rest.
fn read(pipe: impl Read + Send + 'static, most: u64) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (mut pipe, mut bytes) = (pipe, Vec::new());
        let read = (&mut pipe).take(most).read_to_end(&mut bytes).map(|_| bytes);
        let _ = sender.send(read);
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

fn all(bytes: Option<Receiver<io::Result<Vec<u8>>>>, until: Instant) -> Result<Vec<u8>, Failure> {
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    match bytes.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(read) => read.map_err(Failure::Lost),
        Err(RecvTimeoutError::Timeout) => Err(Failure::Late),
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Lost(ErrorKind::BrokenPipe.into())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { time: Duration::from_secs(60), output: 1000 };

    fn shell(script: &str, input: &str, limits: Limits) -> Result<Ended, Failure> {
        run(Command::new("sh").args(["-c", script]), input.into(), limits)
    }

    #[test]
    fn input_output_errors_and_status_are_those_of_the_program() {
        let ended = shell("cat; echo careful >&2; exit 3", "values", LIMITS).unwrap();
        assert_eq!((&*ended.output, &*ended.errors), (&b"values"[..], &b"careful\n"[..]));
        assert_eq!(ended.status.code(), Some(3));
        let unread = shell("exit 0", &"x".repeat(1 << 20), LIMITS).unwrap();
        assert!(unread.status.success() && unread.output.is_empty());
    }

    #[test]
    fn a_program_that_does_not_end_is_late() {
        let soon = Limits { time: Duration::from_millis(50), ..LIMITS };
        assert!(matches!(shell("sleep 600", "", soon), Err(Failure::Late)));
        assert!(matches!(shell("exec >&- 2>&-; sleep 600", "", soon), Err(Failure::Late)));
    }

    /// A process that was killed may be a zombie until it is reaped.
    fn is_running(pid: &str) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ") && !state.contains(") X ")
    }

    #[test]
    fn the_children_of_a_program_are_killed_with_it() {
        let file = std::env::temp_dir().join(format!("evenkeel-process-{}", std::process::id()));
        // Also those of a program that has ended before.
        for rest in ["yes", "yes & exit 0"] {
            let script = format!("sleep 600 & echo $! > {}; {rest}", file.display());
            assert!(matches!(shell(&script, "", LIMITS), Err(Failure::TooLong)));
            let child = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            let until = Instant::now() + LIMITS.time;
            while is_running(child.trim()) {
                assert!(Instant::now() < until, "{child} has not been killed");
                thread::sleep(POLL);
            }
        }
    }

    #[test]
    fn too_much_output_ends_the_program() {
        assert!(matches!(shell("yes", "", LIMITS), Err(Failure::TooLong)));
        let errors = shell("yes | head -c 10000000 >&2; echo done", "", LIMITS).unwrap();
        assert_eq!((&*errors.output, errors.errors.len() as u64), (&b"done\n"[..], MOST_ERRORS));
    }

    #[test]
    fn a_program_that_is_not_there_is_not_started() {
        assert!(matches!(run(&mut Command::new("/nonexistent"), Vec::new(), LIMITS), Err(Failure::NotStarted(_))));
    }
}
