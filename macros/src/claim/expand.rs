//! Prints a claim: the function, and how a reconciler calls it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Claim, Shape};
use crate::sub_reconciler::Parts;
use crate::syntax::link::Link;
use crate::syntax::names::plain;
use crate::syntax::shape::hidden;

pub(super) fn expand(claim: &Claim) -> Parts {
    let Claim { krate, function, marker, shape } = claim;
    if shape.is_none() && function.home.is_none() && function.sig.receiver().is_some() {
        // What else is printed here would stand in the `impl` of the method.
        let nothing = TokenStream::new;
        return Parts { function: function.to_token_stream(), marker: nothing(), impls: nothing() };
    }
    let impls = match shape {
        Some(shape) => expand_link(claim, shape),
        None => expand_poison(claim),
    };
    let marker = marker.define(&function.inherited_as("this claim."), krate);
    let attrs = shape.is_none().then(|| quote!(#[allow(dead_code)]));
    Parts { function: quote!(#attrs #function), marker, impls }
}

/// How a reconciler runs it: any one that has what a function takes, or the struct of a method.
fn expand_link(claim: &Claim, shape: &Shape) -> TokenStream {
    let Claim { krate, function, marker, .. } = claim;
    let Shape { object, dependencies, output } = shape;
    let (name, here) = (plain(&function.sig.ident), krate.at(output.span()));
    let error = quote_spanned!(output.span()=> <#output as #here::StepOutput>::Error);
    let (object_, deps) = (hidden("object"), hidden("deps"));
    let Link { more, reconciler, asked, called } = Link::of(function, krate, object, dependencies, None);
    let (params, bounds) = marker.params(more.as_ref(), &asked);
    quote! {
        #[automatically_derived]
        impl #params #krate::Claim<#reconciler> for #marker #bounds {
            type Error = #error;
            const NAME: &'static #krate::std::primitive::str = #name;
            async fn claim(
                #object_: &mut #object,
                #deps: &<#reconciler as #krate::Reconciler>::Deps,
            ) -> #krate::std::result::Result<(), Self::Error> {
                #called.await
            }
        }
    }
}

/// One with a mistake does nothing, for every reconciler.
fn expand_poison(claim: &Claim) -> TokenStream {
    let Claim { krate, marker, .. } = claim;
    let any = hidden("R");
    let (params, bounds) = marker.params(Some(&any), &quote!(#any: #krate::Reconciler,));
    quote! {
        impl #params #krate::Claim<#any> for #marker #bounds {
            type Error = #krate::Poison;
            const NAME: &'static #krate::std::primitive::str = "";
            async fn claim(
                _: &mut <#any as #krate::Reconciler>::Object,
                _: &<#any as #krate::Reconciler>::Deps,
            ) -> #krate::std::result::Result<(), Self::Error> {
                #krate::std::result::Result::Ok(())
            }
        }
    }
}
