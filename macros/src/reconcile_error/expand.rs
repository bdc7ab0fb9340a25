//! Prints the classes of an error.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{Arm, ErrorModel, Kind};
use crate::syntax::krate::Krate;

pub(crate) fn expand(model: &ErrorModel) -> TokenStream {
    let ErrorModel { krate, ident, generics, arms } = model;
    let (params, args, bounds) = generics.split_for_impl();
    let class = arms.iter().map(|arm| expand_class(krate, arm));
    let reason = arms.iter().map(|Arm { ident, reason, .. }| quote!(Self::#ident { .. } => #reason,));
    let variants = arms.iter().map(|arm| expand_variant(krate, arm));
    let wakes = arms.iter().map(|arm| expand_wake_up(krate, arm));
    // An enum without variants, or no enum at all, has nothing to match on.
    let (class, reason) = match arms.is_empty() {
        true => (quote!(#krate::Class::Transient), quote!("")),
        false => (quote!(match self { #(#class)* }), quote!(match self { #(#reason)* })),
    };
    quote! {
        #[automatically_derived]
        impl #params #krate::ReconcileError for #ident #args #bounds {
            fn class(&self) -> #krate::Class { #class }
            fn reason(&self) -> &'static #krate::std::primitive::str { #reason }
            const VARIANTS: &'static [#krate::VariantInfo] = &[#(#variants),*];
        }
        #(#wakes)*
    }
}

fn expand_class(krate: &Krate, Arm { ident, class, .. }: &Arm) -> TokenStream {
    let class = match class {
        Kind::Stalled => quote!(Stalled),
        Kind::Ignored => quote!(Ignored),
        Kind::Transient => quote!(Transient),
        Kind::Waiting(None) => quote!(Waiting { poll: #krate::std::option::Option::None }),
        Kind::Waiting(Some(poll)) => {
            let poll = expand_duration(krate, *poll);
            quote!(Waiting { poll: #krate::std::option::Option::Some(#poll) })
        }
    };
    quote!(Self::#ident { .. } => #krate::Class::#class,)
}

/// What is known of a variant at compile time.
fn expand_variant(krate: &Krate, Arm { class, reason, doc, .. }: &Arm) -> TokenStream {
    let (word, actions) = match class {
        Kind::Stalled => ("stalled", quote!(STALLED)),
        Kind::Ignored => ("ignored", quote!(IGNORED)),
        Kind::Transient => ("transient", quote!(TRANSIENT)),
        Kind::Waiting(_) => ("waiting", quote!(WAITING)),
    };
    quote!(#krate::VariantInfo { reason: #reason, class: #word, doc: #doc, actions: #krate::Actions::#actions })
}

/// The type that a bare `waiting` holds can wake; the error stands at the type.
fn expand_wake_up(krate: &Krate, arm: &Arm) -> TokenStream {
    let Some(ty) = &arm.wakes else { return TokenStream::new() };
    let here = krate.at(ty.span());
    quote_spanned!(ty.span()=> const _: () = #here::wakes::<#ty>();)
}

pub(crate) fn expand_duration(krate: &Krate, duration: std::time::Duration) -> TokenStream {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    quote!(#krate::std::time::Duration::from_millis(#millis))
}
