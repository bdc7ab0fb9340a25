//! The parsed claim, hook or daemon.

use std::time::Duration;

use proc_macro2::Ident;
use syn::Type;

use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;

/// The kind of the function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Claim,
    Hook,
    Daemon,
}

impl What {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Hook => "hook",
            Self::Daemon => "daemon",
        }
    }
}

/// A claim, a hook or a daemon, valid or not.
pub(crate) struct Moment {
    pub(crate) what: What,
    pub(crate) args: Args,
    pub(crate) function: Function,
    pub(crate) marker: Marker,
    /// `None` if the signature is invalid; the error is already reported.
    pub(crate) shape: Option<Shape>,
}

/// The arguments of the attribute.
pub(crate) struct Args {
    pub(crate) krate: Krate,
    /// The point at which a hook runs.
    pub(crate) when: Option<Ident>,
    /// The time limit of one run of a daemon.
    pub(crate) timeout: Option<Duration>,
}

/// The parts of the signature.
pub(crate) struct Shape {
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) output: Type,
}
