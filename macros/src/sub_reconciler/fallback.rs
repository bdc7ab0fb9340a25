//! An invalid step: it remains a step and may do everything, so that its users report no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, Path, Type};

use super::args::StepArgs;
use super::check::variant;
use super::model::{Draft, ErrorType};
use super::parts::Parts;
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::hidden::hidden;

pub(crate) fn expand(draft: &Draft, errors: &mut Errors) -> Parts {
    let Draft { args, function, marker, error, .. } = draft;
    let nothing = TokenStream::new;
    if function.home.is_none() && function.sig.receiver().is_some() {
        // Further items would end up inside the `impl` of the method.
        return Parts { function: expand_stray(args, function), marker: nothing(), impls: nothing() };
    }
    let (krate, inherited) = (&args.krate, function.inherited());
    let name = function.sig.ident.to_string();
    let error = match error {
        Some(ErrorType::Named(ty)) => ty.to_token_stream(),
        Some(ErrorType::Within(_)) | None => quote!(#krate::ErrorPlaceholder),
    };
    let (object, step_of) = match &draft.object {
        Some(object) => (object.to_token_stream(), expand_step_of(draft, object)),
        None => (quote!(#krate::ErrorPlaceholder), TokenStream::new()),
    };
    let mentioned = expand_mentioned(args);
    let (params, bounds) = marker.params(None, &nothing());
    let impls = quote! {
        impl #params #krate::SubReconciler for #marker #bounds {
            type Object = #object;
            type Conditions = #krate::ErrorPlaceholder;
            type Error = #error;
            type Undo = #krate::NoCleanup;
            const WIRING: #krate::StepWiring = #krate::placeholder(#name);
        }
        impl #params #krate::Unchecked for #marker #bounds {}
        #step_of
        #mentioned
    };
    Parts { function: expand_function(draft, errors), marker: marker.define(&inherited, krate), impls }
}

fn expand_function(draft: &Draft, errors: &mut Errors) -> TokenStream {
    let function = &draft.function;
    match (&function.home, draft.callable) {
        (None, true) => quote!(#function),
        (None, false) => expand_uncallable(draft, errors),
        // The pipeline is a method of the same `impl`. It is not expanded if a step cannot be called.
        (Some(_), _) => quote!(#[allow(dead_code)] #function),
    }
}

/// A method outside of a reconciler: it takes any context, so that its callers report no second error.
pub(crate) fn expand_stray(args: &StepArgs, stray: &Function) -> TokenStream {
    let (krate, mut sig) = (&args.krate, stray.sig.clone());
    let any = hidden("C");
    sig.generics.params.push(syn::parse_quote!(#any));
    if let Some(FnArg::Typed(context)) = sig.inputs.last_mut() {
        *context.ty = syn::parse_quote!(&mut #any);
    }
    let (attrs, vis, mentioned) = (&stray.attrs, &stray.vis, expand_mentioned(args));
    quote!(#(#attrs)* #[allow(unused)] #vis #sig { #mentioned #krate::std::process::abort() })
}

/// A function that no pipeline can call. Its name becomes a constant of an erroneous type (an array whose length does not compile), so that
/// rustc does not report the calls. The function itself is retained under another name, so that its body is still checked.
fn expand_uncallable(draft: &Draft, errors: &mut Errors) -> TokenStream {
    let function = &draft.function;
    let (attrs, vis, body, name) = (&function.attrs, &function.vis, &function.body, &function.sig.ident);
    let mut sig = function.sig.clone();
    sig.ident = format_ident!("__{}", name);
    let wrong = errors.take_expr();
    quote! {
        #(#attrs)*
        #[allow(dead_code)]
        #vis #sig #body
        #[allow(non_upper_case_globals, dead_code)]
        #vis const #name: [(); #wrong] = [];
    }
}

fn expand_step_of(draft: &Draft, object: &Type) -> TokenStream {
    let (krate, marker) = (&draft.args.krate, &draft.marker);
    let any = hidden("C");
    let (params, bounds) = marker.params(Some(&any), &TokenStream::new());
    quote! {
        impl #params #krate::StepOf<#object, #any> for #marker #bounds {}
    }
}

/// Uses the paths in the arguments, so that no warning follows from the error.
fn expand_mentioned(args: &StepArgs) -> TokenStream {
    let krate = &args.krate;
    let lists = [&args.sets, &args.clears, &args.reads, &args.polls, &args.refused];
    let owns = args.owns.iter().map(|own| &own.kind);
    let watches = args.watches.iter().map(|watch| &watch.kind);
    let uses = args.uses.iter().map(|uses| &uses.kind);
    let keeps = args.keeps.iter().flat_map(|keeps| &keeps.kinds);
    let paths = lists.into_iter().flatten().chain(owns).chain(keeps).chain(watches).chain(uses);
    let paths = paths.filter(|path: &&Path| variant(path).is_none());
    let types = paths.map(|path| quote!(let _: #krate::std::option::Option<#path>;));
    let templates = args.keeps.iter().flat_map(|keeps| &keeps.templates);
    quote!(const _: () = { #(#types)* #(let _ = &#templates;)* };)
}
