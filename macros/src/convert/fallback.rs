//! Expands a conversion with an error: its type still is a served version, so that its registration reports no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::model::Refused;

pub(super) fn expand(refused: &Refused) -> TokenStream {
    let Refused { krate, spoke, hub } = refused;
    let Some(spoke) = spoke else {
        // Its import is used, as it is without the error.
        let hub = hub.iter();
        return quote!(const _: () = { #(let _: #krate::std::option::Option<#hub>;)* };);
    };
    let hub = hub.as_ref().map_or_else(|| spoke.to_token_stream(), ToTokens::to_token_stream);
    quote! {
        #[automatically_derived]
        impl #krate::Spoke for #spoke {
            type Hub = #hub;
            const CONVERSION: #krate::ConversionWiring = #krate::ConversionWiring::INVALID;
        }
    }
}
