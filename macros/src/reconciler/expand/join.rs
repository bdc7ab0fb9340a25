//! Expands joined steps and loops over a step.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::call::{expand_await, expand_begin, expand_function, expand_run, expand_step};
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Each, Join};
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::krate::Krate;

/// Each step runs in its own pass; their values are returned as one tuple.
pub(super) fn expand_join(reconciler: &Reconciler, join: &Join) -> TokenStream {
    let (krate, context) = (&reconciler.args.krate, &reconciler.context);
    let names = |what: &str| -> Vec<Ident> {
        (1..=join.calls.len()).map(|i| hidden(&format_ident!("{what}_{i}").to_string())).collect()
    };
    let (passes, values, ends) = (names("pass"), names("value"), hidden("ends"));
    let steps = join.calls.iter().zip(&passes).map(|(call, pass)| {
        let run = expand_run(reconciler, call, pass, "finish");
        quote!(#krate::joined(async { #run }))
    });
    let (both, pairs) = (expand_both(krate, steps.collect()), expand_pairs(&values));
    let bound = join.bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    quote! {
        #(#bound)* {
            let #ends = {
                let [#(mut #passes),*] = #krate::fork(#context);
                let (#(#passes),*) = (#(&mut #passes),*);
                #both.await
            };
            let #pairs = #krate::merge(#context, #ends)?;
            (#(#values),*)
        };
    }
}

/// Expands to `both(a, both(b, c))`.
fn expand_both(krate: &Krate, steps: Vec<TokenStream>) -> TokenStream {
    let nested = steps.into_iter().rev().reduce(|rest, step| quote!(#krate::both(#step, #rest)));
    nested.unwrap_or_default()
}

/// Expands to `(a, (b, c))`.
fn expand_pairs(values: &[Ident]) -> TokenStream {
    let nested = values.iter().map(ToTokens::to_token_stream).rev().reduce(|rest, value| quote!((#value, #rest)));
    nested.unwrap_or_default()
}

/// The step begins and ends once, and runs for every item in between.
pub(super) fn expand_each(reconciler: &Reconciler, each: &Each) -> TokenStream {
    let (krate, context) = (&reconciler.args.krate, &reconciler.context);
    let Each { for_token, pattern, in_token, items, call } = each;
    let (all, cx) = (hidden("items"), hidden("cx"));
    let shown = hidden_at("items", call.callee.span());
    let begun = expand_begin(call, "next", &quote_spanned!(call.callee.span()=> &#shown), context);
    let (tagged, run) = (expand_step(reconciler, &call.callee, "run"), expand_await(call));
    let function = expand_function(reconciler, &call.callee);
    quote! {
        {
            let mut #all = #krate::begin_each(#tagged, #context);
            #for_token #pattern #in_token #items {
                #function
                #begun
                #krate::ended(&mut #all, #run, #cx);
            }
            #krate::finish_each(#all, #context)
        }?;
    }
}
