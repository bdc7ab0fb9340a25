//! Methods with a closure: of an `Option`, and of the items of a list or map.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, ExprClosure, ExprMethodCall, Pat};

use super::Reader;
use crate::syntax::names::plain;

impl Reader<'_> {
    /// `option.is_some_and(|x| ..)`, `option.is_none_or(|x| ..)`
    pub(super) fn held(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let otherwise = call.method == "is_none_or";
        self.held_or(call, call.args.first()?, &quote!(#krate::Expression::Bool(#otherwise)))
    }

    /// `option.map_or(otherwise, |x| ..)`
    pub(super) fn map_or(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let otherwise = self.read(call.args.first()?);
        self.held_or(call, call.args.last()?, &otherwise?)
    }

    fn held_or(&mut self, call: &ExprMethodCall, closure: &Expr, otherwise: &TokenStream) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let base = self.read(&call.receiver);
        let closure = self.closure(closure)?;
        let [parameter] = closure.inputs.iter().collect::<Vec<_>>()[..] else {
            return self.refuse(closure, "a closure with several parameters");
        };
        let name = self.parameter(parameter)?;
        let (bound, body) = self.within(&[name], &closure.body)?;
        let (base, bound) = (base?, bound.first()?);
        Some(quote!(#krate::Expression::Held(&#base, #bound, &#body, &#otherwise)))
    }

    /// `list.iter().all(|x| ..)`, `map.values().any(|x| ..)`
    pub(super) fn each(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let krate = self.krate.clone();
        let closure = self.closure(call.args.first()?)?;
        let [parameter] = closure.inputs.iter().collect::<Vec<_>>()[..] else {
            return self.refuse(closure, "a closure with several parameters");
        };
        let Some((iterated, part)) = iterated(&call.receiver, parameter) else {
            return self.refuse(&call.method, &format!("`{}` of this iterator", call.method));
        };
        let base = self.read(iterated);
        let names = match untyped(parameter) {
            Pat::Tuple(pair) if pair.elems.len() == 2 => {
                let names: Vec<_> = pair.elems.iter().map(|name| self.parameter(name)).collect();
                names.into_iter().collect::<Option<Vec<_>>>()?
            }
            single => vec![self.parameter(single)?; 2],
        };
        let (bound, body) = self.within(&names, &closure.body)?;
        let quantifier = Ident::new(if call.method == "all" { "All" } else { "Any" }, Span::call_site());
        let (part, base) = (Ident::new(part, Span::call_site()), base?);
        Some(quote! {
            #krate::Expression::Each(#krate::Quantifier::#quantifier, #krate::RulePart::#part, &#base, [#(#bound),*], &#body)
        })
    }

    fn closure<'e>(&mut self, expr: &'e Expr) -> Option<&'e ExprClosure> {
        match expr {
            Expr::Closure(closure) => Some(closure),
            other => {
                let help = "write it as a closure, such as `|x| x.is_empty()`; `#[validate]` runs Rust";
                self.errors.push(other, "a function as an argument has no form in CEL", help);
                None
            }
        }
    }

    /// The name of a parameter of a closure.
    fn parameter(&mut self, pat: &Pat) -> Option<Ident> {
        match untyped(pat) {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(name.ident.clone()),
            Pat::Wild(wild) => Some(Ident::new("_unused", wild.underscore_token.spans[0])),
            other => self.refuse(other, "this pattern").and(None),
        }
    }

    /// Reads the body of a closure with these parameters.
    fn within(&mut self, names: &[Ident], body: &Expr) -> Option<(Vec<TokenStream>, TokenStream)> {
        let (krate, depth) = (self.krate.clone(), self.scope.len());
        let mut bound = Vec::new();
        for name in names {
            let (number, text) = (self.number(), plain(name));
            self.scope.push((name.clone(), quote!(#krate::Expression::Bound(#number))));
            bound.push(quote!(#krate::Bound(#number, #text)));
        }
        let old = self.old.take_if(|old| names.contains(old));
        let body = self.read(body);
        self.old = self.old.take().or(old);
        self.scope.truncate(depth);
        Some((bound, body?))
    }
}

/// Without references and types around it.
fn untyped(pat: &Pat) -> &Pat {
    match pat {
        Pat::Reference(inner) => untyped(&inner.pat),
        Pat::Type(inner) => untyped(&inner.pat),
        Pat::Paren(inner) => untyped(&inner.pat),
        other => other,
    }
}

/// The list or map that is iterated, and what the closure gets of it.
fn iterated<'e>(receiver: &'e Expr, parameter: &Pat) -> Option<(&'e Expr, &'static str)> {
    let Expr::MethodCall(call) = receiver else { return None };
    let is_pair = matches!(untyped(parameter), Pat::Tuple(_));
    match (call.method.to_string().as_str(), call.args.len()) {
        ("copied" | "cloned", 0) => iterated(&call.receiver, parameter),
        ("iter" | "into_iter", 0) => Some((&call.receiver, if is_pair { "Entries" } else { "Items" })),
        ("keys", 0) => Some((&call.receiver, "Keys")),
        ("values", 0) => Some((&call.receiver, "Values")),
        _ => None,
    }
}
