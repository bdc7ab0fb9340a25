//! The list `ready(..)` of `dependents`: functions that determine whether the objects of a kind are ready.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Path, Token};

use crate::errors::mistake;
use crate::syntax::kind_text;

/// `Certificate = issued`.
pub(crate) struct Ready {
    pub(crate) kind: ReadyKind,
    pub(crate) function: Path,
}

/// A kind of the step, as it is written in `dependents(..)`.
pub(crate) enum ReadyKind {
    /// The type of a Rust value.
    Type(Path),
    /// `"cert-manager.io/v1/Certificate"`.
    Text { text: LitStr, api_version: String, kind: String },
}

impl ToTokens for ReadyKind {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Type(path) => path.to_tokens(tokens),
            Self::Text { text, .. } => text.to_tokens(tokens),
        }
    }
}

/// Parses `Certificate = issued`, or the same with the text of a kind. `None`: there is a mistake in it.
pub(super) fn parse(input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<Option<Ready>> {
    let is_text = input.peek(LitStr);
    let kind = if is_text { text(input.parse()?, found) } else { Some(ReadyKind::Type(input.parse()?)) };
    if input.parse::<Option<Token![=]>>()?.is_none() {
        let help = "write for example `ready(Certificate = issued)`";
        found.extend(kind.map(|kind| mistake(kind, "`ready` takes a function for each kind", help)));
        return Ok(None);
    }
    Ok(match input.parse()? {
        Expr::Path(path) if path.qself.is_none() => kind.map(|kind| Ready { kind, function: path.path }),
        value => {
            let help = "write the path of a `fn issued(object: &Value) -> ObjectStatus`";
            found.push(mistake(value, "`ready` takes the path of a function", help));
            None
        }
    })
}

fn text(text: LitStr, found: &mut Vec<syn::Error>) -> Option<ReadyKind> {
    let value = text.value();
    let Some((api_version, kind)) = kind_text::split(&value) else {
        let help = "write the version and the kind: `\"v1/ConfigMap\"` or `\"apps/v1/Deployment\"`";
        found.push(mistake(&text, format_args!("`{value}` is no kind"), help));
        return None;
    };
    let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
    Some(ReadyKind::Text { text, api_version, kind })
}
