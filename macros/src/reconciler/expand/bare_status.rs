//! Expands `bare_status(..)`: its field of the wiring, and the checks of the kind.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use crate::reconciler::bare_status::BareStatus;
use crate::reconciler::model::Reconciler;
use crate::syntax::hidden::hidden_at;
use crate::syntax::krate::Krate;

/// The field of the wiring.
pub(super) fn expand(krate: &Krate, status: Option<&BareStatus>) -> TokenStream {
    let Some(BareStatus { annotation, conditions, .. }) = status else { return TokenStream::new() };
    let conditions = match conditions {
        Some(domain) => quote!(#krate::std::option::Option::Some(#domain)),
        None => quote!(#krate::std::option::Option::None),
    };
    quote!(bare_status: #krate::BareStatusStore { annotation: #annotation, conditions: #conditions },)
}

/// The checks: the kind has no status of ours, and where conditions are stored, a list of conditions.
pub(super) fn expand_checks(reconciler: &Reconciler, subject: &TokenStream) -> TokenStream {
    let Some(BareStatus { word: Some(word), conditions, .. }) = &reconciler.args.bare_status else {
        return TokenStream::new();
    };
    let (here, object) = (reconciler.args.krate.at(word.span()), &reconciler.object);
    let store = quote_spanned!(word.span()=> const BARE_STATUS: () = #here::check_bare_status::<#subject>(););
    let listed = conditions.as_ref().filter(|_| !is_dynamic(object)).map(|domain| {
        let seen = hidden_at("object", domain.span());
        quote_spanned! {domain.span()=>
            const BARE_CONDITIONS: fn(&#object) = |#seen| {
                let _ = #seen.status.as_ref().map(|status| &status.conditions);
            };
        }
    });
    quote!(#store #listed)
}

/// Whether the kind is known at run time only, so that its fields cannot be checked.
fn is_dynamic(object: &Type) -> bool {
    matches!(object, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Dynamic"))
}
