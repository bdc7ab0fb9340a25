//! The interface to the metrics of routes. Without the feature `metrics` each call only checks an `Option`.

use std::sync::Arc;
use std::time::Duration;

/// Records the metrics of routes.
pub(crate) trait CountsRoutes: Send + Sync {
    /// A request for this function has ended.
    fn request(&self, function: &'static str, result: RouteResult, took: Duration);
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteResult {
    /// The function replied, with a code below 500.
    Answered,
    /// The function replied with a code of 500 or more.
    Failed,
    Unauthorized,
    Forbidden,
    /// There is no such object.
    NotFound,
    TooLarge,
    /// A call to the API server failed.
    Unavailable,
    /// The object does not fit its type.
    Undecodable,
    Panic,
    Timeout,
}

#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "who counts is in a feature"))]
impl RouteResult {
    pub(crate) const ALL: [Self; 10] = [
        Self::Answered,
        Self::Failed,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::TooLarge,
        Self::Unavailable,
        Self::Undecodable,
        Self::Panic,
        Self::Timeout,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::TooLarge => "too_large",
            Self::Unavailable => "unavailable",
            Self::Undecodable => "undecodable",
            Self::Panic => "panic",
            Self::Timeout => "timeout",
        }
    }
}

/// The metrics of routes, if enabled.
#[derive(Clone, Default)]
pub(crate) struct RouteMeter(Option<Arc<dyn CountsRoutes>>);

impl RouteMeter {
    #[cfg(feature = "metrics")]
    pub(crate) fn new(counts: Arc<dyn CountsRoutes>) -> Self {
        Self(Some(counts))
    }

    /// Records the end of a request, if enabled.
    pub(crate) fn record(&self, function: &'static str, result: RouteResult, took: Duration) {
        if let Some(counts) = &self.0 {
            counts.request(function, result, took);
        }
    }
}
