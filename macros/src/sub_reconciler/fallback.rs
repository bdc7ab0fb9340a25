//! A step with a mistake: it stays a step, and may do everything, so that its users see no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Path, Type};

use super::check::variant;
use super::model::{Draft, ErrorType};
use crate::errors::Errors;
use crate::syntax::shape::hidden;

pub(crate) fn expand(draft: &Draft, errors: &mut Errors) -> TokenStream {
    let Draft { args, function, marker, error, .. } = draft;
    if function.sig.receiver().is_some() {
        // A method: what else is printed here would stand in its `impl`.
        return quote!(#function);
    }
    let krate = &args.krate;
    let (vis, inherited) = (&function.vis, function.inherited());
    let name = function.sig.ident.to_string();
    let function = if draft.callable { quote!(#function) } else { expand_uncallable(draft, errors) };
    let error = match error {
        Some(ErrorType::Named(ty)) => ty.to_token_stream(),
        Some(ErrorType::Within(_)) | None => quote!(#krate::Poison),
    };
    let (object, step_of) = match &draft.object {
        Some(object) => (object.to_token_stream(), expand_step_of(draft, object)),
        None => (quote!(#krate::Poison), TokenStream::new()),
    };
    let mentioned = expand_mentioned(draft);
    quote! {
        #function
        #inherited
        #[allow(non_camel_case_types)]
        #vis struct #marker {}
        impl #krate::SubReconciler for #marker {
            type Object = #object;
            type Conditions = #krate::Poison;
            type Error = #error;
            type Undo = #krate::NoCleanup;
            const WIRING: #krate::StepWiring = #krate::poisoned(#name);
        }
        impl #krate::Unread for #marker {}
        #step_of
        #mentioned
    }
}

/// Where the function has a shape that no pipeline can call, its name is a value of an erroneous type (an array of a length that
/// does not compile): rustc then says nothing of the calls. The function itself is kept under another name, so that its body is still read.
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
    let (krate, marker, seen) = (&draft.args.krate, &draft.marker, hidden("object"));
    quote! {
        impl<C> #krate::StepOf<#object, C> for #marker {
            fn object(#seen: &#object) -> &#object { #seen }
        }
    }
}

/// What the arguments name counts as used: no warning follows from the mistake.
fn expand_mentioned(draft: &Draft) -> TokenStream {
    let (args, krate) = (&draft.args, &draft.args.krate);
    let lists = [&args.sets, &args.clears, &args.reads, &args.polls, &args.owns, &args.refused];
    let watches = args.watches.iter().map(|watch| &watch.kind);
    let paths = lists.into_iter().flatten().chain(watches).filter(|path: &&Path| variant(path).is_none());
    let types = paths.map(|path| quote!(let _: #krate::std::option::Option<#path>;));
    quote!(const _: () = { #(#types)* };)
}
