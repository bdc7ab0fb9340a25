//! Expands a cleanup: the function, and its call by a reconciler.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::args::CleanupArgs;
use super::model::Cleanup;
use crate::sub_reconciler::Parts;
use crate::syntax::context_type;
use crate::syntax::deletion::may_delete;
use crate::syntax::function::Function;
use crate::syntax::handler::Link;
use crate::syntax::hidden::hidden;
use crate::syntax::names::plain;
use crate::syntax::sent::expand_sent;

pub(crate) fn expand(cleanup: &Cleanup) -> Parts {
    let Cleanup { krate, of, function, marker, .. } = cleanup;
    let here = krate.at(of.span());
    let (params, bounds) = marker.params(None, &TokenStream::new());
    // The two impls are on two types, so that a second cleanup of a step is one conflict instead of two.
    let link = quote_spanned! {of.span()=>
        impl #params #here::HasCleanup for #of #bounds { type Cleanup = #marker; }
    };
    let undo = expand_undo(cleanup);
    let marker = marker.define(&function.inherited_as("this cleanup."), krate);
    Parts { function: expand_sent(function, krate), marker, impls: quote!(#link #undo) }
}

/// The impl by which a reconciler runs it: any reconciler with the dependencies of a function, or the struct of a method.
fn expand_undo(cleanup: &Cleanup) -> TokenStream {
    let Cleanup { krate, of, function, object, dependencies, marker } = cleanup;
    let (object_, deps, cx) = (hidden("object"), hidden("deps"), hidden("cx"));
    let Link { more, reconciler, asked, called } = Link::of(function, krate, object, dependencies, Some(&cx));
    let (params, bounds) = marker.params(more.as_ref(), &asked);
    let name = plain(&function.sig.ident);
    let deletes = may_delete(function.code(), context_type::name(function));
    quote! {
        #[automatically_derived]
        impl #params #krate::Undo<#of, #reconciler> for #marker #bounds {
            const NAME: &'static #krate::std::primitive::str = #name;
            const DELETES: #krate::std::primitive::bool = #deletes;
            async fn undo(
                #object_: &#object,
                #deps: &<#reconciler as #krate::Reconciler>::Deps,
                #cx: &mut #krate::Cx<'_, #of>,
            ) -> #krate::std::result::Result<(), <#of as #krate::SubReconciler>::Error> {
                #called.await
            }
        }
    }
}

/// Expands an invalid cleanup: the function is retained.
pub(crate) fn expand_poisoned(args: &CleanupArgs, function: &Function) -> Parts {
    // For a method outside of a reconciler, further items would end up inside its `impl`.
    let stray = function.home.is_none() && function.sig.receiver().is_some();
    let impls = if stray { TokenStream::new() } else { expand_poison(args) };
    Parts { function: function.to_token_stream(), marker: TokenStream::new(), impls }
}

/// Marks the step as cleaned up, so that it reports no further error.
pub(crate) fn expand_poison(args: &CleanupArgs) -> TokenStream {
    let (krate, of) = (&args.krate, args.of.iter());
    quote!(#(impl #krate::HasCleanup for #of { type Cleanup = #krate::NoCleanup; })*)
}
