//! Shutdown: the passes that were dropped at the deadline, and how the process exits then.

use std::time::Duration;

use super::error::{Error, Reason, Result};
use crate::interval::Interval;

/// Extra time after the shutdown timeout to drop passes and send spans.
pub(super) const MARGIN: Duration = Duration::from_secs(2);

/// Minimum time to send the last spans, even after the shutdown timeout.
#[cfg(any(test, feature = "cli"))]
const LEAST: Duration = Duration::from_secs(1);

/// How many objects the error names; the log names all.
const NAMED: usize = 20;

/// The exit code if passes were dropped.
pub(super) const UNFINISHED: i32 = 3;

/// The exit code if blocking work outlived the term of a leader.
#[cfg(any(test, feature = "cli"))]
const OUTLIVED: i32 = 70;

/// The exit codes, for `--help`.
#[cfg(any(test, feature = "cli"))]
pub(super) const EXIT_CODES: &str = "\
Exit codes:
  0    stopped, and all running passes ended; or the command printed its text
  1    the operator could not start or continue; standard error has the reason and the fix
  2    wrong usage
  3    stopped, but passes still ran after --shutdown-timeout and were dropped; they run again at the next start
  70   blocking work still ran when another replica was allowed to take over
  130  a second Ctrl-C ended the program at once
  143  a second SIGTERM ended the program at once";

/// The result of a stopped operator: an error if passes were dropped at the deadline.
pub(super) fn stopped(dropped: Vec<String>, shutdown_timeout: Duration) -> Result {
    if dropped.is_empty() {
        return Ok(());
    }
    let passes = if dropped.len() == 1 { "1 pass".into() } else { format!("{} passes", dropped.len()) };
    let shutdown_timeout = Interval::from(shutdown_timeout);
    let headline =
        format!("{passes} did not end within {shutdown_timeout} of the stop and were dropped: {}", named(&dropped));
    let help = "end blocking work and steps sooner, or raise `--shutdown-timeout` and the pod's `terminationGracePeriodSeconds`; \
                dropped passes run again at the next start";
    Err(Error::new(Reason::Dropped, headline, help).with_dropped(dropped))
}

fn named(dropped: &[String]) -> String {
    let more = dropped.len().saturating_sub(NAMED);
    let named = dropped[..dropped.len() - more].join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// How long sending the last spans may take. Without a stop there is no deadline.
#[cfg(any(test, feature = "cli"))]
pub(super) fn left(shutdown_timeout: Duration, since: Option<Duration>) -> Duration {
    since.map_or(Duration::MAX, |since| shutdown_timeout.saturating_sub(since).max(LEAST))
}

/// The error of a leader whose blocking work outlives its term.
#[cfg(feature = "lease")]
pub(super) fn outlived(work: &[String]) -> Error {
    let headline = format!("the lease was lost while blocking work ran, and it cannot be dropped: {}", named(work));
    let help =
        "split the work into shorter calls of `cx.blocking`, or give the leader more time with `replicas_with(..)`";
    Error::new(Reason::LeaseLost, headline, help)
}

/// Exits the process if passes were dropped, or blocking work must not go on; otherwise the runtime would wait for it.
#[cfg(any(test, feature = "cli"))]
pub(super) fn exit_if_dropped(ended: &Result) {
    let Err(error) = ended else { return };
    let code = match error.reason() {
        Reason::LeaseLost => OUTLIVED,
        _ if !error.dropped().is_empty() => UNFINISHED,
        _ => return,
    };
    // The same format as for an error returned from `main`.
    eprintln!("Error: {error}");
    std::process::exit(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("widget default/w{at}")).collect()
    }

    #[test]
    fn the_error_names_the_objects_and_the_deadline() {
        let shutdown_timeout = Duration::from_secs(25);
        assert_eq!(stopped(Vec::new(), shutdown_timeout), Ok(()));
        let error = stopped(dropped(2), shutdown_timeout).unwrap_err();
        let text = error.to_string();
        let headline =
            "2 passes did not end within 25s of the stop and were dropped: widget default/w0, widget default/w1";
        assert!(text.starts_with(headline), "{text}");
        assert_eq!((error.reason(), error.dropped()), (Reason::Dropped, &*dropped(2)));
        assert!(stopped(dropped(1), shutdown_timeout).unwrap_err().to_string().starts_with("1 pass did"));
    }

    #[test]
    fn the_error_names_at_most_twenty_objects() {
        let error = stopped(dropped(1000), Duration::from_secs(1)).unwrap_err();
        assert!(error.to_string().contains("widget default/w19 and 980 more"), "{error}");
        assert_eq!(error.dropped().len(), 1000);
    }

    #[test]
    fn span_export_gets_the_remaining_shutdown_timeout() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(25), Some(seconds(5))), seconds(20));
        assert_eq!(left(seconds(25), Some(seconds(26))), LEAST);
        assert_eq!(left(seconds(25), None), Duration::MAX);
    }
}
