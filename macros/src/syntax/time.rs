//! A time span in an argument: a literal, a field of the object, or a function of it.

use std::time::Duration;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Path};

use super::duration::{expand_duration, parse_duration};
use super::hidden::hidden_at;
use super::krate::Krate;

/// A delay or a timeout.
pub(crate) enum Time {
    Literal(Duration),
    /// From a field of the object: `spec.interval`, `spec.policy.interval`.
    Field(Expr),
    /// From a function of the object: `interval_of`.
    Function(Path),
}

impl Time {
    /// Parses the value of the argument `key`.
    pub(crate) fn parse(key: &str, value: &Expr) -> syn::Result<Self> {
        match value {
            Expr::Field(_) => Ok(Self::Field(value.clone())),
            Expr::Path(path) if path.qself.is_none() => Ok(Self::Function(path.path.clone())),
            _ => parse_duration(key, value).map(Self::Literal),
        }
    }

    /// An expression of the type `Option<Duration>`, where the hidden name `object` is the object.
    ///
    /// The check that it is a duration has the author's span.
    pub(crate) fn expand(&self, krate: &Krate) -> TokenStream {
        match self {
            Self::Literal(duration) => {
                let duration = expand_duration(krate, *duration);
                quote!(#krate::std::option::Option::Some(#duration))
            }
            Self::Field(field) => {
                let (here, object) = (krate.at(field.span()), hidden_at("object", field.span()));
                quote_spanned!(field.span()=> #here::IntoInterval::into_interval(#object.#field))
            }
            Self::Function(path) => {
                let (here, object) = (krate.at(path.span()), hidden_at("object", path.span()));
                quote_spanned!(path.span()=> #here::IntoInterval::into_interval(#path(#object)))
            }
        }
    }
}
