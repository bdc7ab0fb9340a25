//! The parsed claim or hook.

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
}

impl What {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Hook => "hook",
        }
    }
}

/// A claim or a hook, valid or not.
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
}

/// The parts of the signature.
pub(crate) struct Shape {
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) output: Type,
}
