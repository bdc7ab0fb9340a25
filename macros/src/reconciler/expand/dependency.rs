//! Prints what a reconciler depends on: one value or a tuple, found by type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::shape::hidden;

/// One dependency is itself, several are a tuple.
pub(crate) fn expand_deps(krate: &Krate, dependencies: &[Type]) -> TokenStream {
    let owned = dependencies.iter().map(|ty| match ty {
        Type::TraitObject(_) => quote!(#krate::std::boxed::Box<#ty>),
        _ => ty.to_token_stream(),
    });
    match dependencies.len() {
        1 => quote!(#(#owned)*),
        _ => quote!((#(#owned),*)),
    }
}

/// How each dependency is found by its type.
pub(crate) fn expand_provides(krate: &Krate, function: &Function, dependencies: &[Type]) -> TokenStream {
    let ident = &function.sig.ident;
    let deps = hidden("deps");
    let provides = dependencies.iter().enumerate().map(|(i, ty)| {
        let place = match dependencies.len() {
            1 => quote!(#deps),
            _ => {
                let index = syn::Index::from(i);
                quote!(&#deps.#index)
            }
        };
        let value = match ty {
            Type::TraitObject(_) => quote!(&**#place),
            _ => place,
        };
        quote! {
            #[automatically_derived]
            impl #krate::Provides<#ty> for #ident {
                fn provide(#deps: &<Self as #krate::Reconciler>::Deps) -> #krate::Borrowed<'_, #ty> { #value }
            }
        }
    });
    quote!(#(#provides)*)
}
