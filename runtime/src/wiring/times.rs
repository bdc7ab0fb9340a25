//! The times that a reconciler declares, as documentation and alerts show them.

use std::fmt;
use std::time::Duration;

use crate::interval::Interval;

/// The times of `#[reconciler(requeue = .., retry = .., timeout = ..)]`. `None`: not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeclaredTimes {
    /// The delay until the next pass after a success.
    pub requeue: Option<DeclaredTime>,
    /// The delay until the next try after a failure.
    pub retry: Option<DeclaredTime>,
    /// The timeout of a pass.
    pub timeout: Option<DeclaredTime>,
}

/// A time, as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredTime {
    /// The same for all objects: `"10m"`.
    Fixed(Duration),
    /// From a field or a function of the object, as written: `spec.interval`.
    Computed(&'static str),
}

impl DeclaredTimes {
    /// No declared times. This is the default.
    pub const NONE: Self = Self { requeue: None, retry: None, timeout: None };
}

impl fmt::Display for DeclaredTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(time) => Interval::from(*time).fmt(f),
            Self::Computed(expression) => write!(f, "`{expression}`"),
        }
    }
}
