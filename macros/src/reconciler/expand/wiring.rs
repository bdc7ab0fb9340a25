//! Expands the wiring of a reconciler, and the checks across its steps.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::bare_status;
use super::call::expand_step;
use super::scope::{PIPELINE, expand_short_set};
use super::shape::expand_shape;
use super::time::expand_declared;
use crate::reconciler::args::{Previously, ReconcilerArgs};
use crate::reconciler::model::Reconciler;
use crate::reconciler::suspend::Suspend;
use crate::reconciler::triggers;
use crate::syntax::docs;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;

/// The fields of the wiring that the author declared.
pub(super) fn expand_wiring(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, name, pipeline, .. } = reconciler;
    let krate = &args.krate;
    let set = expand_short_set(reconciler);
    let steps = pipeline.calls().into_iter().map(|call| {
        let here = krate.at(call.callee.span());
        let step = expand_step(reconciler, &call.callee, PIPELINE);
        quote_spanned!(call.callee.span()=> #here::wiring_of::<Self, #set, _, _>(#step))
    });
    let doc = Some(docs::text(&reconciler.function.attrs)).filter(|doc| !doc.is_empty()).into_iter();
    let revision = Some(args.revision).filter(|revision| *revision != 0).into_iter();
    let concurrency = args.concurrency.iter();
    let debounce = args.debounce.iter().map(|window| expand_duration(krate, *window));
    let times = expand_declared(args);
    let shape = expand_shape(reconciler).into_iter();
    let (finalizer, field_manager) =
        (expand_given(krate, "finalizer", &args.finalizer), expand_given(krate, "field_manager", &args.field_manager));
    let summary = expand_given(krate, "summary", &args.summary);
    let (suspend, previously) = (expand_suspend(krate, args.suspend.as_ref()), expand_previously(args));
    let depends_on = args.depends_on.iter().map(|_| quote!(depends_on: true,));
    let (labels, fields) = (expand_given(krate, "labels", &args.labels), expand_given(krate, "fields", &args.fields));
    let filtered = args.filter.iter().map(|_| quote!(filtered: true,));
    let (request_annotation, triggers) =
        (args.request_annotation.iter(), triggers::expand(krate, args.triggers.as_ref()));
    let bare_status = bare_status::expand(krate, args.bare_status.as_ref());
    let (policies, claim) = (expand_policies(args), expand_claim(args));
    let hooks = expand_handlers(krate, "hooks", "hook_handler", &args.hooks);
    let daemons = expand_handlers(krate, "daemons", "daemon_handler", &args.daemons);
    let watcher = expand_given(krate, "watcher", &args.watcher);
    quote! {
        #krate::Wiring {
            #(doc: #doc,)*
            steps: &[#(#steps),*],
            #(shape: #shape,)*
            #times
            #(concurrency: #krate::std::num::NonZeroUsize::new(#concurrency),)*
            #(debounce: #krate::std::option::Option::Some(#debounce),)*
            #(revision: #revision,)*
            #finalizer
            #field_manager
            #(request_annotation: #request_annotation,)*
            #triggers
            #suspend
            #(#depends_on)*
            #labels
            #fields
            #(#filtered)*
            #bare_status
            #policies
            #claim
            #hooks
            #daemons
            #watcher
            #previously
            #summary
            ..#krate::Wiring::of::<#set>(#name)
        }
    }
}

fn expand_previously(args: &ReconcilerArgs) -> TokenStream {
    let ReconcilerArgs { krate, previously, .. } = args;
    let Previously { field_managers: managers, finalizers, reconcilers } = previously;
    match [managers, finalizers, reconcilers].iter().all(|list| list.is_empty()) {
        true => TokenStream::new(),
        false => quote! {
            previously: #krate::Previously {
                managers: &[#(#managers),*],
                finalizers: &[#(#finalizers),*],
                reconcilers: &[#(#reconcilers),*],
            },
        },
    }
}

fn expand_suspend(krate: &Krate, suspend: Option<&Suspend>) -> TokenStream {
    let Some(Suspend { annotation, record, .. }) = suspend else { return TokenStream::new() };
    quote!(suspend: #krate::std::option::Option::Some(#krate::Suspend { annotation: #annotation, record: #record }),)
}

/// The policies with their observer. This is the only check that it is an observer of this reconciler.
fn expand_policies(args: &ReconcilerArgs) -> TokenStream {
    let (krate, Some(policies)) = (&args.krate, &args.policies) else { return TokenStream::new() };
    let key = policies.key.iter().map(|key| quote!(.keyed(#key)));
    let namespace = policies.namespace.iter().map(|word| {
        let here = krate.at(word.span());
        quote_spanned!(word.span()=> .of_namespaces::<<Self as #here::Reconciler>::Object>())
    });
    let policies = quote!(#krate::Policies::DEFAULT #(#key)* #(#namespace)*);
    let observe = args.observe.iter().map(|observer| {
        let here = krate.at(observer.span());
        let observer = quote_spanned!(observer.span()=> #here::observe_handler::<Self, <Self as #here::Reconciler>::Conditions, #observer>());
        quote!(observe: #krate::std::option::Option::Some(#observer),)
    });
    quote!(policies: #krate::std::option::Option::Some(#policies), #(#observe)*)
}

/// The claim. This is the only check that it is a claim of this reconciler.
fn expand_claim(args: &ReconcilerArgs) -> TokenStream {
    let krate = &args.krate;
    let claim = args.claim.iter().map(|claim| {
        let here = krate.at(claim.span());
        quote_spanned!(claim.span()=> #here::claim_handler::<Self, #claim>())
    });
    quote!(#(claim: #krate::std::option::Option::Some(#claim),)*)
}

/// The hooks or the daemons. This is the only check that each is one of this reconciler.
fn expand_handlers(krate: &Krate, field: &str, handler: &str, paths: &[Path]) -> TokenStream {
    let handlers = paths.iter().map(|path| {
        let (here, handler) = (krate.at(path.span()), Ident::new(handler, path.span()));
        quote_spanned!(path.span()=> #here::#handler::<Self, #path>())
    });
    let field = format_ident!("{field}");
    match paths.is_empty() {
        true => TokenStream::new(),
        false => quote!(#field: &[#(#handlers),*],),
    }
}

/// Expands to `field: Some(value),`.
fn expand_given(krate: &Krate, field: &str, value: &Option<impl ToTokens>) -> TokenStream {
    let (field, value) = (format_ident!("{field}"), value.iter());
    quote!(#(#field: #krate::std::option::Option::Some(#value),)*)
}

/// The checks across steps, each at the token that must change. rustc prints the names of the constants.
pub(super) fn expand_checks(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, conditions, function, pipeline, .. } = reconciler;
    let (krate, subject, set) = (&args.krate, function.subject(), expand_short_set(reconciler));
    let (span, steps) = (conditions.span(), hidden("STEPS"));
    let here = krate.at(span);
    let all = quote_spanned!(span=> const CONDITIONS: () = #here::check_unset::<#set>(#steps););
    let each = pipeline.calls().into_iter().enumerate().map(|(i, call)| {
        let here = krate.at(call.callee.span());
        let name = format_ident!("STEP_{}", i + 1);
        let (first, place) = (Literal::usize_unsuffixed(pipeline.joined_from(i)), Literal::usize_unsuffixed(i));
        quote_spanned!(call.callee.span()=> const #name: () = #here::check_step::<#set>(#steps, #first, #place);)
    });
    let loops = pipeline.loops().into_iter().enumerate().map(|(i, call)| {
        let (here, name) = (krate.at(call.callee.span()), format_ident!("LOOP_{}", i + 1));
        let place = Literal::usize_unsuffixed(pipeline.place(&call.name()));
        quote_spanned!(call.callee.span()=> const #name: () = #here::check_loop(#steps, #place);)
    });
    let own = args.summary.iter().map(|summary| {
        let here = krate.at(summary.span());
        quote_spanned!(summary.span()=> const SUMMARY: () = #here::check_summary::<#set>(#summary);)
    });
    let fields = args.fields.iter().map(|fields| {
        let here = krate.at(fields.span());
        let wiring = quote!(<#subject as #krate::Reconciler>::WIRING);
        quote_spanned!(fields.span()=> const FIELDS: () = #here::check_fields(&#wiring);)
    });
    let bare_status = bare_status::expand_checks(reconciler, &subject);
    quote! {
        #(#own)*
        #(#fields)*
        #bare_status
        const #steps: &[#krate::StepWiring] = <#subject as #krate::Reconciler>::WIRING.steps;
        #all
        #(#each)*
        #(#loops)*
    }
}
