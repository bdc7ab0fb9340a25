//! The time of the API server, by which certificates are made and renewed: the clock of a pod may be wrong by days.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::clock;

/// The difference between the clock of the API server and that of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerTime(SignedDuration);

impl ServerTime {
    /// Reads the `Date` header of a response; without one, the clock of the process is used.
    pub(super) fn of(headers: &http::HeaderMap) -> Self {
        let date = headers.get(http::header::DATE).and_then(|date| date.to_str().ok());
        let date = date.and_then(|date| jiff::fmt::rfc2822::parse(date).ok());
        Self(date.map(|date| date.timestamp().duration_since(clock::now())).unwrap_or_default())
    }

    /// The current time of the API server.
    pub(super) fn now(self) -> Timestamp {
        clock::now().saturating_add(self.0).unwrap_or(Timestamp::MAX)
    }

    /// The time until then.
    pub(super) fn until(self, then: Timestamp) -> Duration {
        then.duration_since(self.now()).try_into().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    #[tokio::test]
    async fn the_date_of_a_response_counts() {
        let mut headers = HeaderMap::new();
        assert_eq!(ServerTime::of(&headers), ServerTime::default());
        headers.insert("date", HeaderValue::from_static("Thu, 01 Jan 2099 00:00:00 GMT"));
        let time = ServerTime::of(&headers);
        let year = time.now().to_string();
        assert!(year.starts_with("2099-01-01T00:00") || year.starts_with("2098-12-31T23:59"), "{year}");
        assert_eq!(time.until("1999-01-01T00:00:00Z".parse().unwrap()), Duration::ZERO);
    }
}
