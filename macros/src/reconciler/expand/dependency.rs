//! Expands the dependencies of a reconciler: one value or a tuple, resolved by type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use crate::syntax::function::Function;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;

/// The type of the dependencies: for a struct, the struct; for a function, its only dependency or a tuple.
pub(crate) fn expand_deps(krate: &Krate, function: &Function, dependencies: &[Type]) -> TokenStream {
    if function.home.is_some() {
        return quote!(Self);
    }
    let owned = dependencies.iter().map(|ty| match ty {
        Type::TraitObject(_) => quote!(#krate::std::boxed::Box<#ty>),
        _ => ty.to_token_stream(),
    });
    match dependencies.len() {
        1 => quote!(#(#owned)*),
        _ => quote!((#(#owned),*)),
    }
}

/// Calls the author's function. Its span is the name, so that rustc reports a future that is not `Send` at the signature.
pub(super) fn expand_body(krate: &Krate, function: &Function, dependencies: &[Type]) -> TokenStream {
    let ident = &function.sig.ident;
    let here = krate.at(ident.span());
    let (object, deps, pass) = (hidden("object"), hidden("deps"), hidden("pass"));
    match &function.home {
        Some(_) => quote_spanned!(ident.span()=> Self::#ident(#deps, #object, #pass).await),
        None => quote_spanned! {ident.span()=>
            #ident(#object, #(<Self as #here::Provides<#dependencies>>::provide(#deps),)* #pass).await
        },
    }
}

/// The impls that resolve each dependency by its type.
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
