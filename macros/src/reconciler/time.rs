//! Times as written: a literal, a field of the object, or a function of it.

use std::time::Duration;

use syn::{Expr, Path};

use crate::syntax::args::Arg;
use crate::syntax::duration::parse_duration;

/// When, or for how long.
pub(crate) enum Time {
    Literal(Duration),
    /// What a field of the object says: `spec.interval`, `spec.policy.interval`.
    Field(Expr),
    /// What a function of the object says: `next_run`.
    Function(Path),
}

/// The times of a reconciler; `None`: not given.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) requeue: Option<Time>,
    pub(crate) retry: Option<Time>,
    pub(crate) timeout: Option<Time>,
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<Time> {
    let value = arg.value("\"10m\"")?;
    match value {
        Expr::Field(_) => Ok(Time::Field(value.clone())),
        Expr::Path(path) if path.qself.is_none() => Ok(Time::Function(path.path.clone())),
        _ => parse_duration(&arg.key.to_string(), value).map(Time::Literal),
    }
}
