//! Expands the statements of a pipeline.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::call::{expand_call, expand_step};
use super::join::{expand_each, expand_join};
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Arm, Branch, Skip, Statement};

pub(super) fn expand_statement(reconciler: &Reconciler, statement: &Statement) -> TokenStream {
    match statement {
        Statement::Call(call) => expand_call(reconciler, call),
        Statement::Branch(branch) => expand_branch(reconciler, branch),
        Statement::Join(join) => expand_join(reconciler, join),
        Statement::Each(each) => expand_each(reconciler, each),
        Statement::Skip(skip) => expand_skip(reconciler, skip),
        Statement::Log(line) => quote!(#line;),
        Statement::Value(value) => value.clone(),
    }
}

/// An `if` is expanded to an `if`, and a `match` to a `match`.
fn expand_branch(reconciler: &Reconciler, branch: &Branch) -> TokenStream {
    let arms = branch.arms.iter().map(|arm| {
        let (head, statements) = (&arm.head, expand_arm(reconciler, arm));
        match &branch.on {
            Some(_) => quote!(#head => { #statements }),
            None => quote!(#head { #statements }),
        }
    });
    let arms = quote!(#(#arms)*);
    let whole = match &branch.on {
        Some((token, value)) => quote!(#token #value { #arms }),
        None => arms,
    };
    match &branch.bound {
        Some((token, pattern)) => quote!(#token #pattern = #whole;),
        None => whole,
    }
}

fn expand_arm(reconciler: &Reconciler, arm: &Arm) -> TokenStream {
    arm.statements.iter().map(|statement| expand_statement(reconciler, statement)).collect()
}

/// The expansion names the skipped step, so that editors find it there.
fn expand_skip(reconciler: &Reconciler, skip: &Skip) -> TokenStream {
    let (krate, context, Skip { step: callee, reason }) = (&reconciler.args.krate, &reconciler.context, skip);
    let step = expand_step(reconciler, callee, "run");
    let here = krate.at(callee.span());
    quote_spanned!(callee.span()=> #here::skip(#step, #context, #reason);)
}
