//! Reasons that a body hands to `cx.set(..)` as literals: the only part of a body that is looked into.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::LitStr;

use crate::errors::Errors;
use crate::syntax::names::{camel, is_reason};

/// `cx.set(marker, status, "reason", ..)`.
pub(crate) struct Said {
    /// The first argument, spaces left out.
    pub(crate) marker: String,
    pub(crate) reason: LitStr,
}

/// The reasons that a body says as literals, wherever they stand.
pub(crate) fn said(body: &Group, context: &Ident) -> Vec<Said> {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let groups = tokens.iter().enumerate().filter_map(|(i, token)| match token {
        TokenTree::Group(group) => Some((i, group)),
        _ => None,
    });
    let each = groups.flat_map(|(i, group)| {
        let called =
            i >= 3 && is_call(&tokens[i - 3..i], context, "set") && group.delimiter() == Delimiter::Parenthesis;
        match arguments(group).filter(|_| called) {
            Some(said) => vec![said],
            None => said(group, context),
        }
    });
    each.collect()
}

/// Refuses the reasons that Kubernetes would.
pub(crate) fn check_reasons(body: &Group, context: &Ident, errors: &mut Errors) {
    for Said { reason, .. } in said(body, context) {
        check_reason(&reason, errors);
    }
}

/// `cx.set`, or another method of the context.
pub(super) fn is_call(tokens: &[TokenTree], context: &Ident, name: &str) -> bool {
    let [TokenTree::Ident(receiver), TokenTree::Punct(dot), TokenTree::Ident(method)] = tokens else { return false };
    receiver == context && dot.as_char() == '.' && method == name
}

/// The arguments, where the third is a literal.
fn arguments(group: &Group) -> Option<Said> {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let mut arguments = tokens.split(is_comma).map(|tokens| tokens.iter().cloned().collect::<TokenStream>());
    let marker = arguments.next()?.to_string().replace(' ', "");
    let reason = syn::parse2(arguments.nth(1)?).ok()?;
    Some(Said { marker, reason })
}

/// A reason goes into a condition, of which the API server checks the grammar.
pub(crate) fn check_reason(reason: &LitStr, errors: &mut Errors) {
    let text = reason.value();
    if !is_reason(&text) {
        let word = Some(camel(&text)).filter(|word| is_reason(word)).unwrap_or_else(|| "InvalidUrl".to_owned());
        errors.push(reason, format_args!("Kubernetes refuses the reason `{text}`"), format_args!("write `\"{word}\"`"));
    }
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    use super::*;

    fn mistakes(body: &TokenStream) -> usize {
        let mut errors = Errors::default();
        let body: Group = syn::parse2(quote!({ #body })).unwrap();
        check_reasons(&body, &format_ident!("cx"), &mut errors);
        errors.count()
    }

    #[test]
    fn a_refused_reason_is_found_wherever_it_stands() {
        assert_eq!(mistakes(&quote!(cx.set(on::A, Status::True, "very busy", "m");)), 1);
        assert_eq!(
            mistakes(&quote!(if x {
                f(|| cx.set(on::A, Status::True, "no-no", m))
            })),
            1
        );
    }

    #[test]
    fn other_calls_and_good_reasons_are_left_alone() {
        assert_eq!(mistakes(&quote!(cx.set(on::A, Status::True, "Busy", "very busy");)), 0);
        assert_eq!(mistakes(&quote!(map.set(a, b, "very busy"); cx.set(a, b, reason, "m"); cx.get(a, b, "x y");)), 0);
    }
}
