//! A claim or a hook as it was read.

use proc_macro2::Ident;
use syn::Type;

use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;

/// What it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Claim,
    Hook,
}

impl What {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Hook => "hook",
        }
    }
}

/// A claim or a hook, right or wrong.
pub(crate) struct Moment {
    pub(crate) what: What,
    pub(crate) args: Args,
    pub(crate) function: Function,
    pub(crate) marker: Marker,
    /// `None`: the signature is wrong, which is reported.
    pub(crate) shape: Option<Shape>,
}

/// What the attribute says.
pub(crate) struct Args {
    pub(crate) krate: Krate,
    /// When a hook runs.
    pub(crate) when: Option<Ident>,
}

/// What the signature says.
pub(crate) struct Shape {
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) output: Type,
}
