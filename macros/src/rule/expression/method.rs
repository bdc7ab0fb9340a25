//! Methods of texts, options, lists and maps.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, ExprMethodCall};

use super::{Reader, is_text};
use crate::syntax::names::plain;

/// Methods without an effect on the value, as JSON sees it.
const TRANSPARENT: [&str; 8] = ["as_deref", "as_ref", "as_slice", "as_str", "clone", "cloned", "copied", "to_owned"];

/// The methods, their number of arguments, and what they are in the runtime.
const METHODS: [(&str, usize, &str); 11] = [
    ("starts_with", 1, "StartsWith"),
    ("ends_with", 1, "EndsWith"),
    ("contains", 1, "Contains"),
    ("contains_key", 1, "ContainsKey"),
    ("get", 1, "Get"),
    ("is_empty", 0, "IsEmpty"),
    ("len", 0, "Len"),
    ("is_some", 0, "IsSome"),
    ("is_none", 0, "IsNone"),
    ("unwrap_or", 1, "UnwrapOr"),
    ("unwrap_or_default", 0, "UnwrapOrDefault"),
];

impl Reader<'_> {
    /// Reads a call of a method.
    pub(super) fn method(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let (name, arguments) = (plain(&call.method), call.args.len());
        match (name.as_str(), arguments) {
            (transparent, 0) if TRANSPARENT.contains(&transparent) => self.read(&call.receiver),
            ("to_string", 0) if is_text(&call.receiver) => self.read(&call.receiver),
            ("count", 0) => self.count(call),
            ("is_some_and" | "is_none_or", 1) => self.held(call),
            ("map_or", 2) => self.map_or(call),
            ("all" | "any", 1) => self.each(call),
            _ => match METHODS.iter().find(|(known, count, _)| *known == name && *count == arguments) {
                Some((_, _, method)) => self.call(method, call),
                None => {
                    let base = self.read(&call.receiver);
                    // An error in the receiver comes first: the method may be right for what was meant.
                    base.and_then(|_| self.refuse(&call.method, &format!("`{name}`")))
                }
            },
        }
    }

    fn call(&mut self, method: &str, call: &ExprMethodCall) -> Option<TokenStream> {
        let (krate, method) = (self.krate.clone(), Ident::new(method, Span::call_site()));
        let base = self.read(&call.receiver);
        let arguments: Vec<Option<TokenStream>> = call.args.iter().map(|argument| self.read(argument)).collect();
        let (base, arguments) = (base?, arguments.into_iter().collect::<Option<Vec<_>>>()?);
        Some(quote!(#krate::Expression::Call(#krate::Method::#method, &#base, &[#(#arguments),*])))
    }

    /// `text.chars().count()`
    fn count(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let method = format_ident!("CharCount");
        match &*call.receiver {
            Expr::MethodCall(chars) if chars.method == "chars" => {
                let base = self.read(&chars.receiver)?;
                Some(quote!(#krate::Expression::Call(#krate::Method::#method, &#base, &[])))
            }
            _ => self.refuse(&call.method, "`count` of this iterator"),
        }
    }
}
