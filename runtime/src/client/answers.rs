//! `Retry-After` and outages in the responses to the calls of one pass.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use crate::lock::Mutex;

/// A summary of all responses of one pass. All clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(Arc<Mutex<Summary>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Summary {
    retry_after: Option<Duration>,
    outage: bool,
}

impl Answers {
    /// The longest `Retry-After` so far.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.summary().retry_after
    }

    /// Whether a call failed for a reason that affects all objects: no response, a server error, throttling or rejected credentials.
    pub(crate) fn outage(&self) -> bool {
        self.summary().outage
    }

    /// Records a response.
    pub(crate) fn record(&self, status: StatusCode, headers: &HeaderMap) {
        let concerns_all = [StatusCode::TOO_MANY_REQUESTS, StatusCode::UNAUTHORIZED].contains(&status);
        if !status.is_server_error() && !concerns_all {
            return;
        }
        let after = headers.get(header::RETRY_AFTER).and_then(|value| delay(value.to_str().ok()?, crate::clock::now()));
        self.update(|summary| {
            summary.outage = true;
            summary.retry_after = summary.retry_after.max(after);
        });
    }

    /// Records a call without a response.
    pub(crate) fn record_outage(&self) {
        self.update(|summary| summary.outage = true);
    }

    fn summary(&self) -> Summary {
        *self.0.lock()
    }

    fn update(&self, change: impl FnOnce(&mut Summary)) {
        change(&mut self.0.lock());
    }
}

/// Parses `Retry-After` in either form of RFC 9110: seconds or a date.
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

    #[test]
    fn the_longest_retry_after_of_a_pass_wins() {
        let answers = Answers::default();
        answers.record(StatusCode::TOO_MANY_REQUESTS, &busy("7"));
        answers.clone().record(StatusCode::SERVICE_UNAVAILABLE, &busy("3"));
        answers.record(StatusCode::OK, &busy("60"));
        assert_eq!((answers.retry_after(), answers.outage()), (Some(Duration::from_secs(7)), true));
    }

    #[test]
    fn auth_throttle_and_server_errors_are_outages() {
        for (status, outage) in
            [(401, true), (429, true), (500, true), (503, true), (200, false), (403, false), (409, false)]
        {
            let answers = Answers::default();
            answers.record(StatusCode::from_u16(status).unwrap(), &HeaderMap::new());
            assert_eq!((answers.retry_after(), answers.outage()), (None, outage), "{status}");
        }
    }

    #[test]
    fn an_outage_retains_the_known_retry_after() {
        let answers = Answers::default();
        assert_eq!((answers.retry_after(), answers.outage()), (None, false));
        answers.record(StatusCode::SERVICE_UNAVAILABLE, &busy("5"));
        answers.record_outage();
        assert_eq!((answers.retry_after(), answers.outage()), (Some(Duration::from_secs(5)), true));
    }

    #[test]
    fn retry_after_date_is_relative_and_past_dates_are_ignored() {
        let now: Timestamp = "2024-05-01T10:00:00Z".parse().unwrap();
        assert_eq!(delay("Wed, 01 May 2024 10:00:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(delay("Wed, 01 May 2024 09:00:00 GMT", now), None);
        assert_eq!(delay("soon", now), None);
    }
}
