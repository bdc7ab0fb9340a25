//! One-shot actions: `cx.requested("force")`, where the literal is expanded to an action that the step declares.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{LitStr, Path};

use super::reason_literal::{is_call, like};
use crate::errors::Errors;
use crate::syntax::krate::Krate;
use crate::syntax::names::camel;
use crate::syntax::suggest;

/// The actions that a step declares, and the names for their expansion.
pub(crate) struct Actions<'a> {
    pub(crate) declared: &'a [Path],
    pub(crate) context: &'a Ident,
    pub(crate) krate: &'a Krate,
}

/// The name in the status and the annotation: `hardReset` for `hard_reset`.
pub(crate) fn wire(action: &str) -> String {
    let camel = camel(action);
    camel[..1].to_lowercase() + &camel[1..]
}

impl Actions<'_> {
    /// The body with each literal replaced by an action. An undeclared one is an error and replaced as well. `None` if the body
    /// requests no action.
    pub(crate) fn resolve(&self, body: &Group, errors: &mut Errors) -> Option<Group> {
        let before: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut after = before.clone();
        let mut changed = false;
        for (i, token) in before.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            let called = i >= 3 && is_call(&before[i - 3..i], self.context, "requested");
            let resolved = match syn::parse2(group.stream()) {
                Ok(literal) if called && group.delimiter() == Delimiter::Parenthesis => {
                    Some(like(group, self.action(&literal, errors)))
                }
                _ => self.resolve(group, errors),
            };
            if let Some(group) = resolved {
                after[i] = group.into();
                changed = true;
            }
        }
        changed.then(|| like(body, after.into_iter().collect()))
    }

    fn action(&self, literal: &LitStr, errors: &mut Errors) -> TokenStream {
        let written = literal.value();
        let declared: Vec<String> = self.declared.iter().map(|path| path.to_token_stream().to_string()).collect();
        if !declared.contains(&written) {
            let declared: Vec<&str> = declared.iter().map(String::as_str).collect();
            let help = match suggest::nearest(&written, &declared) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write `#[sub_reconciler(.., actions({written}))]`"),
            };
            errors.push(literal, format_args!("this step declares no action `{written}`"), help);
        }
        let here = self.krate.at(literal.span());
        let name = LitStr::new(&wire(&written), literal.span());
        quote_spanned!(literal.span()=> #here::action(#name))
    }
}
