//! Prints the wiring of a reconciler, and the checks across its steps.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::call::expand_step;
use super::expand_set_or_poison;
use super::shape::expand_shape;
use crate::reconciler::model::Reconciler;
use crate::reconciler::suspend::Suspend;
use crate::syntax::docs;
use crate::syntax::krate::Krate;

pub(super) fn expand_wiring(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, name, pipeline, .. } = reconciler;
    let krate = &args.krate;
    let conditions = expand_set_or_poison(reconciler);
    let steps = pipeline.calls().into_iter().map(|call| {
        let here = krate.at(call.callee.span());
        let step = expand_step(krate, &call.callee);
        quote_spanned!(call.callee.span()=> #here::wiring_of::<#conditions, _>(#step))
    });
    let doc = docs::text(&reconciler.function.attrs);
    let (declared, summaries) = (expand_declared(reconciler, "CONDITIONS"), expand_declared(reconciler, "SUMMARIES"));
    let (revision, managers, finalizers) = (args.revision, &args.managers, &args.finalizers);
    let (finalizer, manager) = (expand_option(krate, &args.finalizer), expand_option(krate, &args.manager));
    let shape = expand_shape(reconciler);
    let suspend = expand_suspend(krate, args.suspend.as_ref());
    let depends_on = args.depends_on.iter().map(|_| quote!(depends_on: true,));
    let requested = args.requested.iter().map(|key| quote!(requested: #key,));
    let summary = expand_option(krate, &args.summary);
    quote! {
        #krate::Wiring {
            name: #name,
            doc: #doc,
            conditions: #declared,
            summaries: #summaries,
            steps: &[#(#steps),*],
            shape: #shape,
            revision: #revision,
            finalizer: #finalizer,
            manager: #manager,
            #(#requested)*
            #suspend
            #(#depends_on)*
            previously: #krate::Previously { managers: &[#(#managers),*], finalizers: &[#(#finalizers),*] },
            summary: #summary,
            ..#krate::Wiring::EMPTY
        }
    }
}

/// The declared conditions, or the summaries.
fn expand_declared(reconciler: &Reconciler, list: &str) -> TokenStream {
    let Some(span) = reconciler.conditions.as_ref().map(Spanned::span) else { return quote!(&[]) };
    let (here, set, list) =
        (reconciler.args.krate.at(span), expand_set_or_poison(reconciler), quote::format_ident!("{list}"));
    quote_spanned!(span=> <#set as #here::ConditionSet>::#list)
}

fn expand_suspend(krate: &Krate, suspend: Option<&Suspend>) -> TokenStream {
    let Some(Suspend { annotation, record, .. }) = suspend else { return TokenStream::new() };
    quote!(suspend: #krate::std::option::Option::Some(#krate::Suspend { annotation: #annotation, record: #record }),)
}

fn expand_option(krate: &Krate, value: &Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(#krate::std::option::Option::Some(#value)),
        None => quote!(#krate::std::option::Option::None),
    }
}

/// The checks across steps, each at the token that must change. rustc shows the names of the constants.
pub(super) fn expand_checks(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, conditions, function, pipeline, .. } = reconciler;
    let subject = function.subject();
    let Some(span) = conditions.as_ref().map(Spanned::span) else { return TokenStream::new() };
    let krate = &args.krate;
    let conditions = expand_set_or_poison(reconciler);
    let here = krate.at(span);
    let all = quote_spanned!(span=> const CONDITIONS: () = #here::check_unset::<#conditions>(STEPS););
    let each = pipeline.calls().into_iter().enumerate().map(|(i, call)| {
        let here = krate.at(call.callee.span());
        let name = quote::format_ident!("STEP_{}", i + 1);
        let first = pipeline.joined_from(i);
        quote_spanned!(call.callee.span()=> const #name: () = #here::check_step::<#conditions>(STEPS, #first, #i);)
    });
    let own = args.summary.iter().map(|summary| {
        let here = krate.at(summary.span());
        quote_spanned!(summary.span()=> const SUMMARY: () = #here::check_summary::<#conditions>(#summary);)
    });
    quote! {
        #[allow(dead_code)]
        const _: () = {
            #(#own)*
            const STEPS: &[#krate::StepWiring] = <#subject as #krate::Reconciler>::WIRING.steps;
            #all
            #(#each)*
        };
    }
}
