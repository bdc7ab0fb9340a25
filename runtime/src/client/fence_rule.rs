//! The rule by which a fenced client sends a write, in the extensions of the request.

use std::error::Error;
use std::fmt;
#[cfg(feature = "lease")]
use std::time::Duration;

use http::Method;

use crate::leadership::{GATE_CLOSED, WritePermit};

/// Until when a write may be sent. It is in the extensions of the request, since kube's client sends it from a task of its own.
///
/// A fenced client sends no write without it.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "lease"), allow(dead_code, reason = "only a client with a fence reads it"))]
pub(crate) enum FenceRule {
    /// A write of a pass: while this process may write.
    Permit(WritePermit),
    /// A write that every replica sends, such as events, certificates of webhooks, and reviews.
    Exempt,
}

#[cfg(feature = "lease")]
impl FenceRule {
    pub(super) fn permits(&self) -> bool {
        match self {
            Self::Permit(permit) => permit.is_valid(),
            Self::Exempt => true,
        }
    }

    /// The time until the end of the term; `None`: there is no end.
    pub(super) fn left(&self) -> Option<Duration> {
        match self {
            Self::Permit(permit) => permit.left(),
            Self::Exempt => None,
        }
    }
}

/// Whether a request with this method changes nothing.
pub(crate) fn is_read(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS].contains(method)
}

/// The error of a write whose permit ended before its body was sent.
#[derive(Debug)]
pub(crate) struct Ended;

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(GATE_CLOSED)
    }
}

impl Error for Ended {}

impl Ended {
    /// Whether the request failed since its permit had ended.
    pub(crate) fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}
