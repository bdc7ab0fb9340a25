//! The budget of the expansions: lines of code beyond the author's item, as rustfmt would lay them out.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// What a reconciler may emit, whatever its steps, and for each step. Wished for are 30 and 6: a pipeline that speaks in rustc's own
/// errors at the author's tokens binds object, context and future of every call in a line of its own, and every step stands in the
/// wiring, in the checks and on the way back.
const RECONCILER: Budget = Budget { base: 54, each: 28 };
/// What a step may emit, and for each condition that it sets.
const STEP: Budget = Budget { base: 36, each: 8 };
/// What a condition set may emit, and for each condition. Wished for are 15 and 4: each has a marker, two traits, its data for the
/// wiring and four sentences for the checks.
const SET: Budget = Budget { base: 18, each: 32 };
/// What an error may emit, and for each variant.
const ERROR: Budget = Budget { base: 17, each: 9 };

#[derive(Debug, PartialEq)]
struct Budget {
    base: usize,
    each: usize,
}

/// What `emit` spends for no part at all, and for each.
fn spent(emit: impl Fn(usize) -> usize) -> Budget {
    let (two, four) = (emit(2), emit(4));
    let each = (four - two).div_ceil(2);
    Budget { base: two - 2 * each, each }
}

fn keeps(what: &str, spent: &Budget, budget: &Budget) {
    assert!(spent.base <= budget.base && spent.each <= budget.each, "{what}: {spent:?} lines of {budget:?}");
    let close = spent.base + 5 >= budget.base && spent.each + 2 >= budget.each;
    assert!(close, "{what} needs only {spent:?} lines: lower its budget, {budget:?}");
}

fn lines(tokens: TokenStream) -> usize {
    let file = syn::parse2(tokens).expect("expansions parse");
    prettyplease::unparse(&file).lines().count()
}

fn attribute(expand: fn(TokenStream, &TokenStream) -> TokenStream, args: TokenStream, item: TokenStream) -> usize {
    lines(expand(args, &item)) - lines(item)
}

#[test]
fn a_reconciler_keeps_to_its_lines() {
    let emitted = |steps: usize| {
        let steps = (0..steps).map(|n| format_ident!("step{n}"));
        let item = quote! {
            pub async fn repos(repo: &Repo, cx: &mut Pass<'_>) -> Flow { #(#steps(repo, cx).await?;)* Ok(()) }
        };
        attribute(crate::reconciler::attribute, quote!(conditions = C), item)
    };
    keeps("a reconciler", &spent(emitted), &RECONCILER);
}

#[test]
fn a_step_keeps_to_its_lines() {
    let emitted = |conditions: usize| {
        let markers = (0..conditions).map(|n| format_ident!("C{n}"));
        let item = quote! { pub async fn fetch(repo: &Repo, cx: &mut Cx) -> Result<(), E> { Ok(()) } };
        attribute(crate::sub_reconciler::attribute, quote!(sets(#(on::#markers),*)), item)
    };
    keeps("a step", &spent(emitted), &STEP);
}

#[test]
fn a_condition_set_keeps_to_its_lines() {
    let emitted = |conditions: usize| {
        let variants = (0..conditions).map(|n| format_ident!("C{n}"));
        lines(crate::condition_set::derive(quote!(pub enum C { #(#[condition(positive)] #variants),* })))
    };
    keeps("a condition set", &spent(emitted), &SET);
}

#[test]
fn an_error_keeps_to_its_lines() {
    let emitted = |variants: usize| {
        let variants = (0..variants).map(|n| format_ident!("V{n}"));
        lines(crate::reconcile_error::derive(quote!(pub enum E { #(#[class(transient)] #variants),* })))
    };
    keeps("an error", &spent(emitted), &ERROR);
}
