//! Literal reasons in calls of `cx.set(..)`: with actions the only parts of a body that are parsed.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{LitStr, Path};

use crate::errors::Errors;
use crate::syntax::krate::Krate;
use crate::syntax::names::{camel, is_reason};

/// A call `cx.set(marker, status, "reason", ..)`.
pub(crate) struct FoundReason {
    /// The first argument, without spaces.
    pub(crate) marker: String,
    pub(crate) reason: LitStr,
}

/// All literal reasons that a body sets.
pub(crate) fn find_reasons(body: &Group, context: &Ident) -> Vec<FoundReason> {
    calls(body, context, "set").iter().filter_map(arguments).collect()
}

/// The first arguments of all calls of `cx.fail(..)`, without spaces.
pub(crate) fn failed(body: &Group, context: &Ident) -> Vec<String> {
    let first = |call: &Group| parts(call).first().map(|marker| marker.to_string().replace(' ', ""));
    calls(body, context, "fail").iter().filter_map(first).collect()
}

/// The arguments of all calls of a method of the context.
fn calls(body: &Group, context: &Ident, name: &str) -> Vec<Group> {
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let groups = tokens.iter().enumerate().filter_map(|(i, token)| match token {
        TokenTree::Group(group) => Some((i, group)),
        _ => None,
    });
    let each = groups.flat_map(|(i, group)| {
        let called = i >= 3 && is_call(&tokens[i - 3..i], context, name) && group.delimiter() == Delimiter::Parenthesis;
        let mut found = calls(group, context, name);
        found.extend(called.then(|| group.clone()));
        found
    });
    each.collect()
}

/// The body with each literal reason checked against the closed set of its condition. The check is inserted at the call, where names have
/// the meaning that the author intended. A marker in a variable is checked at run time.
pub(crate) fn hold(body: &Group, context: &Ident, krate: &Krate) -> Group {
    let before: Vec<TokenTree> = body.stream().into_iter().collect();
    let after = before.iter().enumerate().map(|(i, token)| {
        let TokenTree::Group(group) = token else { return token.clone() };
        let called = i >= 3 && is_call(&before[i - 3..i], context, "set");
        let held = called.then(|| held(group, krate)).flatten();
        held.unwrap_or_else(|| hold(group, context, krate)).into()
    });
    like(body, after.collect())
}

/// The arguments of a call, with the reason in a block that checks it.
fn held(arguments: &Group, krate: &Krate) -> Option<Group> {
    let mut parts = parts(arguments);
    let marker = parts.first().filter(|marker| is_item(marker))?.clone();
    let reason: LitStr = syn::parse2(parts.get(2)?.clone()).ok()?;
    let here = krate.at(reason.span());
    parts[2] = quote_spanned! {reason.span()=> {
        #[allow(dead_code)]
        const REASON: () = #here::check_reason_of(#marker, #reason);
        #reason
    }};
    Some(like(arguments, quote!(#(#parts),*)))
}

/// Whether the path names a type, as that of a marker does: `on::Stored`.
fn is_item(marker: &TokenStream) -> bool {
    let last = syn::parse2::<Path>(marker.clone()).ok().and_then(|path| path.segments.last().cloned());
    last.is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

/// Rejects the reasons that Kubernetes would reject.
pub(crate) fn check_reasons(body: &Group, context: &Ident, errors: &mut Errors) {
    for FoundReason { reason, .. } in find_reasons(body, context) {
        check_reason(&reason, errors);
    }
}

/// Whether the tokens are `cx.set` or another method of the context.
pub(super) fn is_call(tokens: &[TokenTree], context: &Ident, name: &str) -> bool {
    let [TokenTree::Ident(receiver), TokenTree::Punct(dot), TokenTree::Ident(method)] = tokens else { return false };
    receiver == context && dot.as_char() == '.' && method == name
}

/// The marker and the reason, if the third argument is a literal.
fn arguments(group: &Group) -> Option<FoundReason> {
    let parts = parts(group);
    let marker = parts.first()?.to_string().replace(' ', "");
    let reason = syn::parse2(parts.get(2)?.clone()).ok()?;
    Some(FoundReason { marker, reason })
}

/// The arguments between the commas.
fn parts(group: &Group) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    tokens.split(is_comma).map(|tokens| tokens.iter().cloned().collect()).collect()
}

/// The group with other content.
pub(super) fn like(group: &Group, stream: TokenStream) -> Group {
    let mut new = Group::new(group.delimiter(), stream);
    new.set_span(group.span());
    new
}

/// Checks the grammar of a reason, which the API server validates in a condition.
pub(crate) fn check_reason(reason: &LitStr, errors: &mut Errors) {
    let text = reason.value();
    if !is_reason(&text) {
        let word = Some(camel(&text)).filter(|word| is_reason(word)).unwrap_or_else(|| "InvalidUrl".to_owned());
        errors.push(reason, format_args!("Kubernetes rejects the reason `{text}`"), format_args!("write `\"{word}\"`"));
    }
}

#[cfg(test)]
mod tests {
    use quote::format_ident;

    use super::*;

    fn mistakes(body: &TokenStream) -> usize {
        let mut errors = Errors::default();
        let body: Group = syn::parse2(quote!({ #body })).unwrap();
        check_reasons(&body, &format_ident!("cx"), &mut errors);
        errors.count()
    }

    #[test]
    fn a_refused_reason_is_found_wherever_it_stands() {
        assert_eq!(mistakes(&quote!(cx.set(on::A, ConditionStatus::True, "very busy", "m");)), 1);
        assert_eq!(
            mistakes(&quote!(if x {
                f(|| cx.set(on::A, ConditionStatus::True, "no-no", m))
            })),
            1
        );
    }

    #[test]
    fn a_literal_is_held_against_the_set_of_its_condition_and_a_variable_is_left_alone() {
        let held = |body: &TokenStream| {
            let body: Group = syn::parse2(quote!({ #body })).unwrap();
            hold(&body, &format_ident!("cx"), &Krate::DEFAULT).to_string().matches("check_reason_of").count()
        };
        assert_eq!(
            held(&quote!(if x { cx.set(on::A, ConditionStatus::True, "Busy", m) } else { cx.set(A, s, "Idle", m) })),
            2
        );
        assert_eq!(held(&quote!(cx.set(marker, s, "Busy", m); cx.set(on::A, s, reason, m); map.set(A, s, "Busy"))), 0);
    }

    #[test]
    fn the_conditions_that_errors_name_are_found() {
        let body: Group = syn::parse2(quote!({
            f().map_err(|e| cx.fail(on::A, e))?;
            Err(cx.fail(marker, x))
        }))
        .unwrap();
        assert_eq!(failed(&body, &format_ident!("cx")), ["on::A", "marker"]);
    }

    #[test]
    fn other_calls_and_good_reasons_are_left_alone() {
        assert_eq!(mistakes(&quote!(cx.set(on::A, ConditionStatus::True, "Busy", "very busy");)), 0);
        assert_eq!(mistakes(&quote!(map.set(a, b, "very busy"); cx.set(a, b, reason, "m"); cx.get(a, b, "x y");)), 0);
    }
}
