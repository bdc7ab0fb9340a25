//! Expands a rule with an error: the function is retained, and its type stands for no rule.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};

use super::expand::expand_type;
use super::model::Refused;
use crate::syntax::function::Function;

pub(super) fn expand(refused: &Refused, function: &Function) -> TokenStream {
    let Refused { krate, of, drops_body } = refused;
    if function.sig.receiver().is_some() {
        // Further items would end up inside an `impl`.
        return function.to_token_stream();
    }
    let (type_, name) = (expand_type(function), &function.sig.ident);
    let function = match drops_body {
        true => expand_without_body(function),
        false => quote!(#[allow(dead_code)] #function),
    };
    // Its import is used, as it is without the error.
    let of = of.iter();
    quote! {
        #function
        #type_
        #[automatically_derived]
        impl #krate::Rules for #name {
            fn registered() -> #krate::std::vec::Vec<#krate::Registered> {
                #(let _: #krate::std::marker::PhantomData<#of>;)*
                #krate::std::vec::Vec::new()
            }
        }
    }
}

/// The signature alone, so that rustc does not report a name that is already reported.
fn expand_without_body(function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, .. } = function;
    let body = Group::new(Delimiter::Brace, quote!(loop {}));
    quote!(#(#attrs)* #[allow(dead_code, unused_variables, clippy::empty_loop)] #vis #sig #body)
}
