//! Expands the list `ready(..)` of `dependents`: the functions in the wiring of the step, and the checks of its kinds.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::args::StepArgs;
use super::keeps::Keeps;
use super::keeps_ready::{Ready, ReadyKind};
use crate::syntax::hidden::hidden;
use crate::syntax::kind_text::expand_kind;
use crate::syntax::krate::Krate;
use crate::syntax::names::path_text;

/// The functions.
pub(super) fn expand_wiring(args: &StepArgs) -> TokenStream {
    let krate = &args.krate;
    let functions = args.keeps.iter().flat_map(|keeps| &keeps.ready).map(|Ready { kind, function }| {
        let (kind, name) = (expand_info(krate, kind), path_text(function));
        quote!(#krate::ReadyFunction { kind: #kind, name: #name, status: #function })
    });
    quote!(#(#functions),*)
}

fn expand_info(krate: &Krate, kind: &ReadyKind) -> TokenStream {
    match kind {
        ReadyKind::Type(path) => {
            let here = krate.at(path.span());
            quote!(<#path as #here::Readable>::KIND)
        }
        ReadyKind::Text { api_version, kind, .. } => {
            let kind = expand_kind(krate, api_version, kind, None, false);
            quote!(#krate::std::option::Option::Some((#kind).info))
        }
    }
}

/// The checks of the kinds that only templates can have.
pub(super) fn expand_checks(krate: &Krate, keeps: &Keeps) -> TokenStream {
    let sets = hidden("TEMPLATES");
    let checks = keeps.ready.iter().filter_map(|Ready { kind, .. }| match kind {
        ReadyKind::Text { text, api_version, kind } if keeps.any.is_none() && !keeps.lists(api_version, kind) => {
            let (here, kind) = (krate.at(text.span()), expand_kind(krate, api_version, kind, None, false));
            let checked = quote_spanned!(text.span()=> #here::check_ready(#sets, &#kind));
            Some(quote!(const _: () = #checked;))
        }
        _ => None,
    });
    quote!(#(#checks)*)
}
