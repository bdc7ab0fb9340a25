//! Requests to the API server, counted by what they do.

use std::ops::Sub;

use http::Method;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Read,
    Write,
    /// A write of an Event, which is a message for people.
    Event,
    Watch,
}

impl Sort {
    #[must_use]
    pub fn of(method: &Method, path: &str) -> Self {
        let (resource, query) = path.split_once('?').unwrap_or((path, ""));
        if method != Method::GET && method != Method::HEAD {
            return if resource.contains("/events") { Self::Event } else { Self::Write };
        }
        let watches = query.split('&').any(|part| matches!(part, "watch=true" | "watch=1" | "watch=True" | "watch"));
        if watches { Self::Watch } else { Self::Read }
    }
}

/// How many requests of each sort there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Counts {
    pub reads: u64,
    pub writes: u64,
    pub events: u64,
    pub watches: u64,
}

impl Counts {
    pub fn add(&mut self, sort: Sort) {
        match sort {
            Sort::Read => self.reads += 1,
            Sort::Write => self.writes += 1,
            Sort::Event => self.events += 1,
            Sort::Watch => self.watches += 1,
        }
    }

    #[must_use]
    pub fn all(&self) -> u64 {
        self.reads + self.writes + self.events + self.watches
    }

    /// The counts of a day, from those of a part of it.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let of = |count: u64| (count as f64 * factor).round() as u64;
        let Self { reads, writes, events, watches } = self;
        Self { reads: of(reads), writes: of(writes), events: of(events), watches: of(watches) }
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
            events: self.events - before.events,
            watches: self.watches - before.watches,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_method_and_query() {
        let sorts = [
            (Method::GET, "/api/v1/secrets?limit=500", Sort::Read),
            (Method::GET, "/api/v1/secrets?watch=true&allowWatchBookmarks=true", Sort::Watch),
            (Method::PATCH, "/apis/storage.example.com/v1/namespaces/a/buckets/b/status", Sort::Write),
            (Method::POST, "/apis/events.k8s.io/v1/namespaces/a/events", Sort::Event),
            (Method::PUT, "/api/v1/namespaces/a/configmaps/watch", Sort::Write),
        ];
        for (method, path, sort) in sorts {
            assert_eq!(Sort::of(&method, path), sort, "{method} {path}");
        }
    }

    #[test]
    fn counts_can_be_subtracted_and_extrapolated() {
        let mut counts = Counts::default();
        [Sort::Read, Sort::Watch, Sort::Watch].into_iter().for_each(|sort| counts.add(sort));
        let before = counts;
        counts.add(Sort::Event);
        assert_eq!(counts - before, Counts { events: 1, ..Counts::default() });
        assert_eq!(before.times(24.0), Counts { reads: 24, watches: 48, ..Counts::default() });
        assert_eq!(counts.all(), 4);
    }
}
