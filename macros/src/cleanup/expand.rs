//! Prints a cleanup: the function, and how a reconciler calls it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::args::CleanupArgs;
use super::model::Cleanup;
use crate::syntax::shape::hidden;

pub(crate) fn expand(cleanup: &Cleanup) -> TokenStream {
    let Cleanup { krate, of, function, object, dependencies } = cleanup;
    let (vis, ident, inherited) = (&function.vis, &function.sig.ident, function.inherited());
    let here = krate.at(of.span());
    // The name shows in messages, and must not be that of a dependency's type.
    let r = quote::format_ident!("AnyReconciler");
    let (object_, deps, cx) = (hidden("object"), hidden("deps"), hidden("cx"));
    let doc = "\n\nAs a type: this cleanup.";
    // The two impls stand on two types: a second cleanup of a step is then one conflict, not two.
    let link = quote_spanned!(of.span()=> impl #here::HasCleanup for #of { type Cleanup = #ident; });
    quote! {
        #function
        #inherited
        #[doc = #doc]
        #[allow(non_camel_case_types, clippy::empty_structs_with_brackets)]
        #vis struct #ident {}
        #link
        #[automatically_derived]
        impl<#r> #krate::Undo<#of, #r> for #ident
        where
            #r: #krate::Reconciler<Object = #object> #(+ #krate::Provides<#dependencies>)*,
        {
            async fn undo(
                #object_: &#object,
                #deps: &<#r as #krate::Reconciler>::Deps,
                #cx: &mut #krate::Cx<'_, #of>,
            ) -> #krate::std::result::Result<(), <#of as #krate::SubReconciler>::Error> {
                #ident(#object_, #(<#r as #krate::Provides<#dependencies>>::provide(#deps),)* #cx).await
            }
        }
    }
}

/// The step counts as cleaned up, so that it reports nothing.
pub(crate) fn expand_poison(args: &CleanupArgs) -> TokenStream {
    let (krate, of) = (&args.krate, args.of.iter());
    quote!(#(impl #krate::HasCleanup for #of { type Cleanup = #krate::NoCleanup; })*)
}
