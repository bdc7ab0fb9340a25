//! The argument for a time: a literal, a field of the object, or a function of it.

use std::time::Duration;

use darling::FromMeta;
use syn::{Expr, Path};

use crate::syntax::args::Arg;
use crate::syntax::duration::parse_duration;
use crate::syntax::meta::some;

/// A delay or a timeout.
pub(crate) enum Time {
    Literal(Duration),
    /// From a field of the object: `spec.interval`, `spec.policy.interval`.
    Field(Expr),
    /// From a function of the object: `next_run`.
    Function(Path),
}

/// The times of a reconciler. `None` if not given.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct Times {
    #[darling(with = |meta| some(meta, parse))]
    pub(crate) requeue: Option<Time>,
    #[darling(with = |meta| some(meta, parse))]
    pub(crate) retry: Option<Time>,
    #[darling(with = |meta| some(meta, parse))]
    pub(crate) timeout: Option<Time>,
}

fn parse(arg: &Arg) -> syn::Result<Time> {
    let value = arg.value("\"10m\"")?;
    match value {
        Expr::Field(_) => Ok(Time::Field(value.clone())),
        Expr::Path(path) if path.qself.is_none() => Ok(Time::Function(path.path.clone())),
        _ => parse_duration(&arg.key.to_string(), value).map(Time::Literal),
    }
}
