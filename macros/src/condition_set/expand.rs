//! Prints a condition set: markers, their places, and the set itself.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::args::Polarity;
use super::model::{Condition, Place, Reason, Set, Summary};
use crate::syntax::names::plain;

pub(crate) fn expand(set: &Set) -> TokenStream {
    let Set { krate, ident, vis, module, conditions, .. } = set;
    let name = plain(ident);
    let doc = format!("The markers of the conditions of [`{name}`](super::{name}).");
    let structs = conditions.iter().map(|condition| expand_struct(set, condition));
    let impls = conditions.iter().map(|condition| expand_marker(set, condition));
    let infos = conditions.iter().map(|condition| expand_info(set, condition));
    let complaints = conditions.iter().map(|condition| expand_complaints(set, condition));
    let summaries = set.summaries.iter().map(
        |Summary { name, places, doc }| quote!(#krate::SummaryInfo { type_: #name, of: &[#(#places),*], doc: #doc }),
    );
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs, non_camel_case_types, unreachable_pub, rustdoc::all)]
        #vis mod #module { #(#structs)* }
        #(#impls)*
        #[automatically_derived]
        #[allow(clippy::needless_update)]
        impl #krate::ConditionSet for #ident {
            const NAME: &'static #krate::std::primitive::str = #name;
            const CONDITIONS: &'static [#krate::ConditionInfo] = &[#(#infos),*];
            const COMPLAINTS: &'static [#krate::Complaints] = &[#(#complaints),*];
            const SUMMARIES: &'static [#krate::SummaryInfo] = &[#(#summaries),*];
        }
        #[automatically_derived]
        impl #krate::IsSet for #ident {
            type Set = Self;
        }
    }
}

/// The marker stands at the variant, so that "go to definition" leads there.
fn expand_struct(set: &Set, condition: &Condition) -> TokenStream {
    let (krate, Condition { ident, docs, .. }) = (&set.krate, condition);
    let vis = &set.inner;
    quote_spanned! {ident.span()=>
        #docs
        #[derive(#krate::std::clone::Clone, #krate::std::marker::Copy, #krate::std::fmt::Debug)]
        #vis struct #ident;
    }
}

fn expand_marker(set: &Set, condition: &Condition) -> TokenStream {
    let Set { krate, ident: enum_, module, .. } = set;
    let ident = &condition.ident;
    let place = match &condition.place {
        Place::Variant => quote!(#enum_::#ident as #krate::std::primitive::usize),
        Place::Number(place) => quote!(#place),
    };
    quote! {
        #[automatically_derived]
        impl #krate::ConditionMarker for #module::#ident {
            type Set = #enum_;
            const INDEX: #krate::std::primitive::usize = #place;
        }
        #[automatically_derived]
        impl #krate::Readable for #module::#ident {
            const KIND: #krate::std::option::Option<fn() -> #krate::KindInfo> = #krate::std::option::Option::None;
        }
    }
}

fn expand_info(set: &Set, condition: &Condition) -> TokenStream {
    let (krate, Condition { name, doc, .. }) = (&set.krate, condition);
    let polarity = match condition.polarity {
        Polarity::Positive => quote!(Positive),
        Polarity::Negative => quote!(Negative),
        Polarity::Bipolar => quote!(Bipolar),
    };
    let reasons =
        condition.reasons.iter().map(|Reason { name, doc }| quote!(#krate::ReasonInfo { name: #name, doc: #doc }));
    quote! {
        #krate::ConditionInfo {
            doc: #doc,
            reasons: &[#(#reasons),*],
            ..#krate::ConditionInfo::new(#name, #krate::Polarity::#polarity)
        }
    }
}

fn expand_complaints(set: &Set, condition: &Condition) -> TokenStream {
    let (krate, complaints) = (&set.krate, &condition.complaints);
    let (unset, set_twice) = (&complaints.unset, &complaints.set_twice);
    let (cleared_positive, cleared_unset) = (&complaints.cleared_positive, &complaints.cleared_unset);
    quote! {
        #krate::Complaints {
            unset: #unset,
            set_twice: #set_twice,
            cleared_positive: #cleared_positive,
            cleared_unset: #cleared_unset,
        }
    }
}
