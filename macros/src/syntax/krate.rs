//! The path of the runtime: `::evenkeel`, or the one in `crate = ::path`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Path};

use crate::errors::mistake;
use crate::syntax::hidden::{hidden, hidden_at};

/// The path by which expansions refer to `__private`.
#[derive(Clone, Default)]
pub(crate) struct Krate {
    path: Option<Path>,
    /// Whether the block has the short name of [`Krate::import`].
    short: bool,
}

impl Krate {
    /// The default path: `::evenkeel`.
    pub(crate) const DEFAULT: Self = Self { path: None, short: false };

    /// This one if it was given, or the other.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.path.is_some() { self } else { other }
    }

    /// Parses the path after `crate =`.
    pub(crate) fn parse(value: &Expr) -> syn::Result<Self> {
        let help = "write `crate = ::name` or `crate = crate::path`";
        let Expr::Path(path) = value else {
            return Err(mistake(value, "`crate` takes a path", help));
        };
        let first = path.path.segments.first().is_some_and(|segment| segment.ident == "crate");
        if path.path.leading_colon.is_none() && !first {
            return Err(mistake(value, "`crate` takes an absolute path", help));
        }
        Ok(Self { path: Some(path.path.clone()), short: false })
    }

    /// `::evenkeel::__private` with the location of `span`, so that rustc points there.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        let span = span.resolved_at(Span::mixed_site());
        match &self.path {
            _ if self.short => hidden_at("rt", span).into_token_stream(),
            Some(path) => respan(quote!(#path::__private), span),
            None => quote_spanned!(span=> ::evenkeel::__private),
        }
    }

    /// The same, with the hygiene of the token at `span` as well.
    /// Editors link an item to the user's token only if all its tokens have the same hygiene.
    pub(crate) fn beside(&self, span: Span) -> TokenStream {
        let tokens = self.to_token_stream().into_iter().map(|mut token| {
            token.set_span(span);
            token
        });
        tokens.collect()
    }

    /// The same path under the short name.
    pub(crate) fn short(&self) -> Self {
        Self { path: self.path.clone(), short: true }
    }

    /// The same path in full, for code outside of a block with the short name.
    pub(crate) fn full(&self) -> Self {
        Self { path: self.path.clone(), short: false }
    }

    /// The import that gives `__private` its short name in a block, so that an expansion has short lines and is easier to read.
    pub(crate) fn import(&self) -> TokenStream {
        let (full, short) = (self.full(), self.short());
        quote!(use #full as #short;)
    }

    /// The root of the runtime as a string, for `crate = ".."` of other derives.
    pub(crate) fn text(&self, rest: &str) -> String {
        let root = match &self.path {
            Some(path) => path.to_token_stream().to_string().replace(' ', ""),
            None => "::evenkeel".to_owned(),
        };
        format!("{root}::__private::{rest}")
    }
}

impl ToTokens for Krate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match &self.path {
            _ if self.short => hidden("rt").into_token_stream(),
            Some(path) => quote!(#path::__private),
            None => quote!(::evenkeel::__private),
        });
    }
}

fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let respanned = tokens.into_iter().map(|mut token| {
        // The hygiene of the user's token is retained; only the location changes.
        token.set_span(span.resolved_at(token.span()));
        token
    });
    respanned.collect()
}
