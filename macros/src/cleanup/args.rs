//! The arguments of `#[cleanup(of = step)]`.

use darling::FromMeta;
use proc_macro2::TokenStream;
use syn::Path;

use crate::errors::Errors;
use crate::syntax::args::Keys;
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some};

const KEYS: Keys = Keys { known: &["of", "crate"], many: &[] };

#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct CleanupArgs {
    #[darling(with = |meta| some(meta, |arg| arg.path("step")))]
    pub(crate) of: Option<Path>,
    #[darling(rename = "crate")]
    pub(crate) krate: Krate,
    /// Whether an error in the arguments is already reported.
    #[darling(skip)]
    pub(crate) wrong: bool,
}

pub(crate) fn parse(tokens: TokenStream, krate: Krate, errors: &mut Errors) -> CleanupArgs {
    let args: CleanupArgs = meta::read(tokens, &KEYS, errors);
    CleanupArgs { wrong: errors.count() > 0, krate: args.krate.or(krate), ..args }
}
