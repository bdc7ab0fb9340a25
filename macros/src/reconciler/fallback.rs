//! A reconciler with a mistake: it stays a reconciler that does nothing, so that its users see no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::expand::{expand_deps, expand_marker, expand_provides};
use super::model::Draft;
use super::pipeline;
use crate::syntax::function::Function;

pub(crate) fn expand(draft: &Draft) -> TokenStream {
    let Draft { args, function, object, dependencies, .. } = draft;
    let krate = &args.krate;
    let Function { attrs, vis, sig, .. } = function;
    let ident = &sig.ident;
    let steps = pipeline::mentioned(function);
    let conditions = args.conditions.iter();
    let marker = expand_marker(function);
    let provides = expand_provides(krate, function, dependencies);
    let deps = expand_deps(krate, dependencies);
    let object = object.as_ref().map_or_else(|| quote!(#krate::Poison), ToTokens::to_token_stream);
    quote! {
        #(#attrs)*
        #[allow(unused)]
        #vis #sig {
            #(let _ = &#steps;)*
            #krate::std::process::abort()
        }
        #marker
        impl #krate::Reconciler for #ident {
            type Object = #object;
            type Deps = #deps;
            type Conditions = #krate::Poison;
            const WIRING: #krate::Wiring = #krate::Wiring::EMPTY;
            fn requeue(_: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
                #krate::std::option::Option::None
            }
            async fn reconcile(_: &Self::Object, _: &Self::Deps, _: &mut #krate::Pass<'_>) -> #krate::Flow {
                #krate::std::result::Result::Ok(())
            }
            async fn cleanup(_: &Self::Object, _: &Self::Deps, _: &mut #krate::Pass<'_>) -> #krate::Flow {
                #krate::std::result::Result::Ok(())
            }
        }
        #provides
        const _: () = { #(let _: #krate::std::option::Option<#conditions>;)* };
    }
}
