//! The impl by which a reconciler runs a function other than a step: a cleanup, an observer, a claim.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Type;

use super::function::Function;
use super::hidden::hidden;
use super::krate::Krate;

/// The reconciler of the impl: any one with the dependencies of a function, or the struct of a method.
pub(crate) struct Link {
    /// The type parameter for any reconciler. rustc prints its name, which must differ from the types of the dependencies.
    pub(crate) more: Option<Ident>,
    /// The reconciler that runs it.
    pub(crate) reconciler: TokenStream,
    /// The bounds on any reconciler.
    pub(crate) asked: TokenStream,
    /// The call, with the hidden names of the object, the dependencies and the last argument.
    pub(crate) called: TokenStream,
}

impl Link {
    pub(crate) fn of(
        function: &Function,
        krate: &Krate,
        object: &Type,
        dependencies: &[Type],
        last: Option<&Ident>,
    ) -> Self {
        let (ident, last) = (&function.sig.ident, last.into_iter());
        let (object_, deps, any) = (hidden("object"), hidden("deps"), format_ident!("AnyReconciler"));
        let Some(home) = &function.home else {
            return Self {
                reconciler: quote!(#any),
                asked: quote!(#any: #krate::Reconciler<Object = #object> #(+ #krate::Provides<#dependencies>)*,),
                called: quote!(#ident(#object_, #(<#any as #krate::Provides<#dependencies>>::provide(#deps),)* #(#last)*)),
                more: Some(any),
            };
        };
        let ty = &home.ty;
        let called = quote!(<#ty>::#ident(#deps, #object_, #(#last)*));
        Self { more: None, reconciler: quote!(#ty), asked: TokenStream::new(), called }
    }
}
