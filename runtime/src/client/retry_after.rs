//! What the answers to the calls of one pass said beside their content.

use std::cell::Cell;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// What one pass was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// The longest `Retry-After`.
    pub(crate) retry_after: Option<Duration>,
    /// The API server did not answer, said that it cannot serve, or refused the credentials: whatever it was asked for.
    pub(crate) outage: bool,
}

tokio::task_local! {
    static ANSWERS: Cell<Answers>;
}

/// Runs the future and tells what the calls that it made in this task were answered.
pub(crate) async fn noting<F: Future>(pass: F) -> (F::Output, Answers) {
    let noted = async {
        let output = pass.await;
        (output, ANSWERS.with(Cell::get))
    };
    ANSWERS.scope(Cell::default(), noted).await
}

/// As [`noting`], inside or outside of another one: the longest `Retry-After` so far.
pub(crate) async fn noting_retry_after<F: Future>(pass: F) -> (F::Output, Option<Duration>) {
    if ANSWERS.try_with(|_| ()).is_err() {
        let (output, answers) = noting(pass).await;
        return (output, answers.retry_after);
    }
    let output = pass.await;
    (output, retry_after())
}

/// The longest `Retry-After` of the pass so far.
pub(crate) fn retry_after() -> Option<Duration> {
    ANSWERS.try_with(|answers| answers.get().retry_after).ok().flatten()
}

fn update(change: impl FnOnce(&mut Answers)) {
    // Calls outside of a pass, those of watches, are nobody's.
    let _ = ANSWERS.try_with(|cell| {
        let mut answers = cell.get();
        change(&mut answers);
        cell.set(answers);
    });
}

/// Takes note of an answer.
pub(super) fn note(status: StatusCode, headers: &HeaderMap) {
    let concerns_all = [StatusCode::TOO_MANY_REQUESTS, StatusCode::UNAUTHORIZED].contains(&status);
    if !status.is_server_error() && !concerns_all {
        return;
    }
    let after = headers.get(header::RETRY_AFTER).and_then(|value| delay(value.to_str().ok()?, crate::clock::now()));
    update(|answers| {
        answers.outage = true;
        answers.retry_after = answers.retry_after.max(after);
    });
}

/// Takes note that there was no answer.
pub(crate) fn note_silence() {
    update(|answers| answers.outage = true);
}

/// `Retry-After` in either form of RFC 9110: seconds, or a date.
fn delay(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = DateTimeParser::new().parse_timestamp(value.trim()).ok()?;
    Duration::try_from(date.duration_since(now)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(after: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::RETRY_AFTER, after.parse().unwrap())])
    }

    #[tokio::test]
    async fn the_longest_retry_after_of_a_pass_is_kept() {
        let pass = async {
            note(StatusCode::TOO_MANY_REQUESTS, &busy("7"));
            note(StatusCode::SERVICE_UNAVAILABLE, &busy("3"));
            note(StatusCode::OK, &busy("60"));
        };
        let ((), answers) = noting(pass).await;
        assert_eq!(answers, Answers { retry_after: Some(Duration::from_secs(7)), outage: true });
    }

    #[tokio::test]
    async fn what_concerns_all_objects_alike_is_an_outage() {
        for (status, outage) in
            [(401, true), (429, true), (500, true), (503, true), (200, false), (403, false), (409, false)]
        {
            let status = StatusCode::from_u16(status).unwrap();
            let ((), answers) = noting(async { note(status, &HeaderMap::new()) }).await;
            assert_eq!(answers, Answers { retry_after: None, outage }, "{status}");
        }
    }

    #[tokio::test]
    async fn what_an_inner_scope_notes_reaches_the_outer_one() {
        let inner = async { note(StatusCode::SERVICE_UNAVAILABLE, &busy("5")) };
        let (((), seen), answers) = noting(noting_retry_after(inner)).await;
        assert_eq!((seen, answers.outage), (Some(Duration::from_secs(5)), true));
    }

    #[test]
    fn a_date_counts_from_now_and_the_past_not_at_all() {
        let now: Timestamp = "2024-05-01T10:00:00Z".parse().unwrap();
        assert_eq!(delay("Wed, 01 May 2024 10:00:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(delay("Wed, 01 May 2024 09:00:00 GMT", now), None);
        assert_eq!(delay("soon", now), None);
    }
}
