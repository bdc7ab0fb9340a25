//! The callee of a call in a pipeline: a function, or a method of its struct.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{AngleBracketedGenericArguments, Expr, ExprPath, Member, Path, Token};

/// The callee of a call.
#[derive(Clone)]
pub(crate) enum Callee {
    /// A function: `fetch`, `steps::fetch`.
    Path(Path),
    /// A method of the struct: `self.fetch`.
    Method(Box<Method>),
}

#[derive(Clone)]
pub(crate) struct Method {
    /// `self`, as written.
    pub(crate) receiver: Expr,
    pub(crate) name: Ident,
    pub(crate) turbofish: Option<AngleBracketedGenericArguments>,
}

impl ToTokens for Callee {
    /// The tokens as written.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Path(path) => path.to_tokens(tokens),
            Self::Method(method) => {
                let Method { receiver, name, turbofish } = &**method;
                tokens.extend(quote!(#receiver.#name #turbofish));
            }
        }
    }
}

impl Callee {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Path(path) => path.span(),
            Self::Method(method) => method.name.span(),
        }
    }

    /// The function as a value.
    pub(crate) fn value(&self) -> TokenStream {
        match self {
            Self::Path(path) => path.to_token_stream(),
            Self::Method(method) => {
                let Method { name, turbofish, .. } = &**method;
                quote_spanned!(name.span()=> Self::#name #turbofish)
            }
        }
    }
}

/// Parses a step that is named, not called: `store`, or `self.store`.
pub(super) fn parse_name(expr: &Expr) -> Option<Callee> {
    match expr {
        Expr::Path(ExprPath { path, qself: None, .. }) => Some(Callee::Path(path.clone())),
        Expr::Field(field) if is_self(&field.base) => {
            let Member::Named(name) = &field.member else { return None };
            let method = Method { receiver: (*field.base).clone(), name: name.clone(), turbofish: None };
            Some(Callee::Method(Box::new(method)))
        }
        _ => None,
    }
}

/// Parses `path(args)` or `self.method(args)`.
pub(super) fn parse_callee(call: &Expr) -> Option<(Callee, &Punctuated<Expr, Token![,]>)> {
    match call {
        Expr::Call(call) => match &*call.func {
            Expr::Path(ExprPath { path, qself: None, .. }) => Some((Callee::Path(path.clone()), &call.args)),
            _ => None,
        },
        Expr::MethodCall(call) if is_self(&call.receiver) => {
            let (receiver, name) = ((*call.receiver).clone(), call.method.clone());
            let method = Method { receiver, name, turbofish: call.turbofish.clone() };
            Some((Callee::Method(Box::new(method)), &call.args))
        }
        _ => None,
    }
}

/// Whether the expression is `self`.
pub(crate) fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self"))
}
