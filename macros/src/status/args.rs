//! `#[status(crate = ::path)]`.

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::syntax::args::{Keys, parse_args};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys { known: &["crate"], many: &[] };

pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Krate {
    let mut krate = None;
    for arg in parse_args(tokens, &KEYS, errors) {
        krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse));
    }
    krate.unwrap_or(Krate::DEFAULT)
}
