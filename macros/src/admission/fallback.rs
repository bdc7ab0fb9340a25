//! An invalid review: it remains one and may read everything, so that its users report no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::expand::expand_dependencies;
use super::model::Draft;
use crate::syntax::names::plain;

pub(super) fn expand(draft: &Draft) -> TokenStream {
    let Draft { what: _, args, function, marker, object, dependencies } = draft;
    if function.sig.receiver().is_some() {
        // Further items would end up inside the `impl` of the method.
        return quote!(#[allow(dead_code)] #function);
    }
    let (krate, name) = (&args.krate, plain(&function.sig.ident));
    let object = object.as_ref().filter(|_| !marker.is_generic());
    let object = object.map_or_else(|| quote!(#krate::ErrorPlaceholder), ToTokens::to_token_stream);
    let kinds = args.reads.iter().chain(args.watches.iter().map(|watch| &watch.kind)).chain(&args.refused);
    let defined = marker.define(&function.inherited(), krate);
    let (params, bounds) = marker.params(None, &TokenStream::new());
    let dependencies = if marker.is_generic() { &[] } else { dependencies.as_slice() };
    let given = expand_dependencies(dependencies, krate);
    quote! {
        #[allow(dead_code)]
        #function
        #defined
        impl #params #krate::AdmissionFunction for #marker #bounds {
            type Object = #object;
            const WIRING: #krate::AdmissionWiring = #krate::AdmissionWiring { name: #name, ..#krate::AdmissionWiring::DEFAULT };
        }
        impl #params #krate::Unchecked for #marker #bounds {}
        impl #params #krate::Admits for #marker #bounds {
            #given
            async fn admit(
                _: &mut #object,
                _: #krate::std::option::Option<&#object>,
                _: &Self::Dependencies,
                _: &mut #krate::Review<'_, Self>,
            ) -> #krate::std::result::Result<(), #krate::Denial> {
                #krate::std::result::Result::Ok(())
            }
        }
        const _: () = { #(let _: #krate::std::option::Option<#kinds>;)* };
    }
}
