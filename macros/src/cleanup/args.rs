//! The arguments of `#[cleanup(of = step)]`.

use proc_macro2::TokenStream;
use syn::Path;

use crate::errors::Errors;
use crate::syntax::args::{Keys, parse_args};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys { known: &["of", "crate"], many: &[] };

pub(crate) struct CleanupArgs {
    pub(crate) of: Option<Path>,
    pub(crate) krate: Krate,
    /// Whether an error in the arguments is already reported.
    pub(crate) wrong: bool,
}

pub(crate) fn parse(tokens: TokenStream, krate: Krate, errors: &mut Errors) -> CleanupArgs {
    let mut args = CleanupArgs { of: None, krate, wrong: false };
    for arg in parse_args(tokens, &KEYS, errors) {
        if arg.key == "of" {
            args.of = errors.take(arg.path("step"));
        } else {
            args.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT);
        }
    }
    args.wrong = errors.count() > 0;
    args
}
