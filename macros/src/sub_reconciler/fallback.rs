//! A step with a mistake: it stays a step, and may do everything, so that its users see no second error.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::model::{Draft, ErrorType};

pub(crate) fn expand(draft: &Draft) -> TokenStream {
    let Draft { args, function, marker, object, error } = draft;
    let krate = &args.krate;
    let (vis, inherited) = (&function.vis, function.inherited());
    let name = function.sig.ident.to_string();
    let object = object.as_ref().map_or_else(|| quote!(#krate::Poison), ToTokens::to_token_stream);
    let error = match error {
        Some(ErrorType::Named(ty)) => ty.to_token_stream(),
        Some(ErrorType::Within(_)) | None => quote!(#krate::Poison),
    };
    let rights = ["Sets", "Clears", "Reads", "Watches", "Owns"].map(|right| quote::format_ident!("{right}"));
    quote! {
        #function
        #inherited
        #[allow(non_camel_case_types)]
        #vis struct #marker {}
        impl #krate::SubReconciler for #marker {
            type Object = #object;
            type Conditions = #krate::Poison;
            type Error = #error;
            type Undo = #krate::NoCleanup;
            const WIRING: #krate::StepWiring = #krate::poisoned(#name);
        }
        impl<O, C> #krate::StepOf<O, C> for #marker {}
        #(impl<T> #krate::#rights<T> for #marker {})*
    }
}
