//! Doc comments as text: what generated pages show.

use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment, lines joined.
pub(crate) fn text(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            other => Some(other.to_token_stream().to_string()),
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
