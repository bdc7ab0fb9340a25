//! The budget of the expansions: lines of code beyond the author's item, as rustfmt would lay them out.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// What a reconciler may emit, whatever its steps, and for each step. The pipeline as a constant is one line; the kind of its object, which
/// is asked of the first step so that one error stays one, three.
const RECONCILER: Budget = Budget { base: 33, each: 6 };
/// What a step may emit, and for each condition that it sets. A step of one condition needs 31: the signature that says what the future is,
/// and its block, 10; marker 3, block 4, declaration 9, the right to be called 1, the right to set and to read 2, and how lines break.
const STEP: Budget = Budget { base: 27, each: 4 };
/// What a condition set may emit, and for each condition. The wish of 15 and 4 is given up: rustc's messages name a condition by its
/// type, so each is a struct (2) that is a marker (4), readable (1), and in the list (1); a generic one of one line would be
/// `At<RepoCondition, 2>` in every message.
const SET: Budget = Budget { base: 17, each: 8 };
/// What an error may emit, and for each variant.
const ERROR: Budget = Budget { base: 17, each: 9 };

/// What a watcher of four methods may emit: a reconciler on an `impl`, its step and its cleanup with the lines that they have alone, and 20 for the
/// choice of the method.
const WATCHER: usize = 164;

struct Budget {
    base: usize,
    each: usize,
}

/// No number of parts costs more than the budget, and some cost just that.
fn keeps(what: &str, emit: impl Fn(usize) -> usize, Budget { base, each }: &Budget) {
    let spare = (1..=8).map(|parts| (base + each * parts).checked_sub(emit(parts)));
    let spare: Vec<Option<usize>> = spare.collect();
    let least = spare.iter().min().expect("eight of them");
    assert!(
        least.is_some(),
        "{what} spends more than {base} + {each} lines per part; left over of 1 to 8 parts: {spare:?}"
    );
    assert_eq!(*least, Some(0), "{what} spends less than {base} + {each} lines per part: lower its budget; {spare:?}");
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
            pub async fn repos(repo: &Repo, cx: &mut Pass<'_>) -> PassResult { #(#steps(repo, cx).await?;)* Ok(()) }
        };
        attribute(crate::reconciler::attribute, quote!(conditions = C), item)
    };
    keeps("a reconciler", emitted, &RECONCILER);
}

#[test]
fn a_step_keeps_to_its_lines() {
    let emitted = |conditions: usize| {
        let markers = (0..conditions).map(|n| format_ident!("C{n}"));
        let item = quote! { pub async fn fetch(repo: &Repo, cx: &mut Cx) -> Result<(), E> { Ok(()) } };
        attribute(crate::sub_reconciler::attribute, quote!(sets(#(on::#markers),*)), item)
    };
    keeps("a step", emitted, &STEP);
}

/// A watcher of four methods: a reconciler of one step with a cleanup, and the choice of the method.
#[test]
fn a_watcher_keeps_to_its_lines() {
    let item = quote! {
        impl Infos {
            async fn add(&self, info: &Info) -> Result<(), E> { Ok(()) }
            async fn update(&self, old: &Info, info: &Info) -> Result<(), E> { Ok(()) }
            async fn sync(&self, info: &Info) -> Result<(), E> { Ok(()) }
            async fn delete(&self, info: &Info) -> Result<(), E> { Ok(()) }
        }
    };
    assert_eq!(attribute(crate::watcher::attribute, quote!(conditions = C, sets(on::A)), item), WATCHER);
}

#[test]
fn a_condition_set_keeps_to_its_lines() {
    let emitted = |conditions: usize| {
        let variants = (0..conditions).map(|n| format_ident!("C{n}"));
        lines(crate::condition_set::derive(quote!(pub enum C { #(#[condition(positive)] #variants),* })))
    };
    keeps("a condition set", emitted, &SET);
}

#[test]
fn an_error_keeps_to_its_lines() {
    let emitted = |variants: usize| {
        let variants = (0..variants).map(|n| format_ident!("V{n}"));
        lines(crate::reconcile_error::derive(quote!(pub enum E { #(#[class(transient)] #variants),* })))
    };
    keeps("an error", emitted, &ERROR);
}
