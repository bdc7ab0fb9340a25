//! The times of a reconciler.

use darling::FromMeta;

use crate::syntax::args::Arg;
use crate::syntax::meta::some;
use crate::syntax::time::Time;

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
    Time::parse(&arg.key.to_string(), arg.value("\"10m\"")?)
}
