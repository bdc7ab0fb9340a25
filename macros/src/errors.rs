//! The collector of errors: each points at the user's token and has a help line.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

/// All errors of one expansion.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Adds an error at `node`: a headline without full stop, and a help line.
    pub(crate) fn push(&mut self, node: impl ToTokens, headline: impl Display, help: impl Display) {
        self.add(syn::Error::new_spanned(node, format_args!("{headline}\nhelp: {help}")));
    }

    /// Adds an existing error.
    pub(crate) fn add(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Returns the value, or adds the error and returns `None`.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Adds the errors of another collector.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// All errors in one, if there are any.
    pub(crate) fn into_result(self) -> syn::Result<()> {
        let all = self.0.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        all.map_or(Ok(()), Err)
    }

    /// The number of errors.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Removes the first error and returns it as an expression.
    pub(crate) fn take_expr(&mut self) -> TokenStream {
        match self.0.is_empty() {
            true => quote!(()),
            false => braced(self.0.remove(0)),
        }
    }
}

/// The first message, as a macro call that is valid as an expression.
fn braced(error: syn::Error) -> TokenStream {
    error.into_iter().next().map_or_else(|| quote!(()), |first| first.to_compile_error())
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().map(syn::Error::to_compile_error));
    }
}

/// Makes an error at a place without a node of its own, such as an attribute.
pub(crate) fn mistake_at(span: Span, headline: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new(span, format_args!("{headline}\nhelp: {help}"))
}

/// Makes an error at `node`: a headline without full stop, and a help line.
pub(crate) fn mistake(node: impl ToTokens, headline: impl Display, help: impl Display) -> syn::Error {
    syn::Error::new_spanned(node, format_args!("{headline}\nhelp: {help}"))
}
