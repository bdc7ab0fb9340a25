//! Expands an `async fn` so that its own signature declares its future to be `Send`.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Attribute, ReturnType, Type};

use crate::syntax::function::Function;
use crate::syntax::krate::Krate;

/// Attributes that do not change the function.
const INERT: [&str; 9] = ["doc", "cfg", "allow", "expect", "warn", "deny", "deprecated", "must_use", "inline"];

/// Expands to `fn step(..) -> impl Future<Output = T> + Send`. If the function holds a value that is not `Send` across an await, rustc
/// points to that, not to every reconciler that runs it. An attribute macro below ours still gets the `async fn`.
pub(crate) fn expand_sent(function: &Function, krate: &Krate) -> TokenStream {
    let is_inert = |attr: &Attribute| INERT.iter().any(|name| attr.path().is_ident(name));
    let Function { attrs, vis, sig, body, .. } = function;
    let ReturnType::Type(arrow, output) = &sig.output else { return function.to_token_stream() };
    if sig.asyncness.is_none() || !attrs.iter().all(is_inert) || has_attributes(body.stream()) {
        return function.to_token_stream();
    }
    // With the edition of this crate, the future captures every borrow.
    let span = sig.ident.span().resolved_at(Span::mixed_site());
    let here = krate.at(span);
    let future = quote_spanned!(span=> impl #here::Future<Output = #output> + #here::Send);
    let mut sig = sig.clone();
    sig.asyncness = None;
    sig.output = ReturnType::Type(*arrow, Box::new(Type::Verbatim(future)));
    // rustc infers the type of an `async` block from the first `return` in it, and so reports a wrong value at its place.
    let typed = quote_spanned!(span=> if false { return #here::value::<#output>(); });
    let stream = body.stream();
    let mut block = Group::new(body.delimiter(), quote!(#typed #stream));
    block.set_span(body.span());
    let future = quote_spanned!(span=> async move #block);
    quote!(#(#attrs)* #vis #sig { #future })
}

/// Whether the block begins with `#![..]`.
fn has_attributes(body: TokenStream) -> bool {
    let mut tokens = body.into_iter();
    let is = |token: Option<TokenTree>, char: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == char);
    is(tokens.next(), '#') && is(tokens.next(), '!')
}
