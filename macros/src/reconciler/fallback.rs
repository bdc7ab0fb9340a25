//! An invalid reconciler: it is expanded to one that does nothing, so that its users report no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use super::args::ReconcilerArgs;
use super::expand::{expand_deps, expand_marker, expand_provides};
use super::model::Draft;
use super::pipeline;
use crate::syntax::function::Function;

pub(crate) fn expand(draft: &Draft) -> TokenStream {
    let Draft { args, function, dependencies, .. } = draft;
    let body = expand_function(draft);
    let marker = expand_marker(function);
    let deps = expand_deps(&args.krate, function, dependencies);
    let entry = expand_entry(args, &function.subject(), &deps, draft.object.as_ref());
    let provides = expand_provides(&args.krate, function, dependencies);
    quote!(#body #marker #entry #provides)
}

/// The function without its pipeline. All names in it count as used.
pub(crate) fn expand_function(draft: &Draft) -> TokenStream {
    let Draft { args, function, .. } = draft;
    let (krate, Function { attrs, vis, sig, .. }) = (&args.krate, function);
    let steps = pipeline::mentioned(function);
    quote! {
        #(#attrs)*
        #[allow(unused)]
        #vis #sig {
            #(let _ = &#steps;)*
            #krate::std::process::abort()
        }
    }
}

/// A reconciler that does nothing.
pub(crate) fn expand_entry(
    args: &ReconcilerArgs,
    ty: &TokenStream,
    deps: &TokenStream,
    object: Option<&Type>,
) -> TokenStream {
    let krate = &args.krate;
    expand_poison(args, &quote!(#krate::Reconciler for #ty), deps, object)
}

/// The same, for the generics and the type after `impl`.
pub(crate) fn expand_poison(
    args: &ReconcilerArgs,
    head: &TokenStream,
    deps: &TokenStream,
    object: Option<&Type>,
) -> TokenStream {
    let (krate, conditions, after) = (&args.krate, args.conditions.iter(), args.on_end.iter());
    let beside = args.observe.iter().chain(&args.claim).chain(&args.hooks).chain(&args.daemons);
    let object = object.map_or_else(|| quote!(#krate::ErrorPlaceholder), ToTokens::to_token_stream);
    quote! {
        impl #head {
            type Object = #object;
            type Deps = #deps;
            type Conditions = #krate::ErrorPlaceholder;
            const WIRING: #krate::Wiring = #krate::Wiring::EMPTY;
            fn requeue(_: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
                #(let _ = &#after;)*
                #krate::std::option::Option::None
            }
            async fn reconcile(_: &Self::Object, _: &Self::Deps, _: &mut #krate::Pass<'_>) -> #krate::PassResult {
                #krate::std::result::Result::Ok(())
            }
            async fn cleanup(_: &Self::Object, _: &Self::Deps, _: &mut #krate::Pass<'_>) -> #krate::PassResult {
                #krate::std::result::Result::Ok(())
            }
        }
        const _: () = { #(let _: #krate::std::option::Option<#conditions>;)* #(let _: #krate::std::option::Option<#beside>;)* };
    }
}
