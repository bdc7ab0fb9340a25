//! An invalid route: it remains one, so that its users report no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::model::Draft;
use crate::admission::expand_dependencies;
use crate::syntax::names::plain;

pub(super) fn expand(draft: &Draft) -> TokenStream {
    let Draft { args, function, marker, object, dependencies } = draft;
    if function.sig.receiver().is_some() {
        // Further items would end up inside the `impl` of the method.
        return quote!(#[allow(dead_code)] #function);
    }
    let (krate, name) = (&args.krate, plain(&function.sig.ident));
    let object = object.as_ref().filter(|_| !marker.is_generic());
    let object = object.map_or_else(|| quote!(#krate::ErrorPlaceholder), ToTokens::to_token_stream);
    let defined = marker.define(&function.inherited(), krate);
    let (params, bounds) = marker.params(None, &TokenStream::new());
    let dependencies = if marker.is_generic() { &[] } else { dependencies.as_slice() };
    let given = expand_dependencies(dependencies, krate);
    let kinds = args.of.iter();
    quote! {
        #[allow(dead_code)]
        #function
        #defined
        impl #params #krate::RouteFunction for #marker #bounds {
            type Object = #object;
            const WIRING: #krate::RouteWiring = #krate::RouteWiring { name: #name, ..#krate::RouteWiring::DEFAULT };
        }
        impl #params #krate::Answers for #marker #bounds {
            #given
            async fn answer(_: &#object, _: &Self::Dependencies, _: #krate::RouteCall<'_>) -> #krate::Reply {
                #krate::Reply::empty()
            }
        }
        const _: () = { #(let _: #krate::std::option::Option<#kinds>;)* };
    }
}
