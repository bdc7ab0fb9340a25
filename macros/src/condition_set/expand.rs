//! Expands a condition set: the markers, their places, and the set itself.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::args::Polarity;
use super::model::{Condition, Place, Reason, Set, Summary};
use crate::syntax::docs;
use crate::syntax::names::plain;

pub(crate) fn expand(set: &Set) -> TokenStream {
    let Set { krate, ident, vis, module, conditions, .. } = set;
    let import = krate.import();
    let doc = format!("The markers of the conditions of [`{name}`](super::{name}).", name = plain(ident));
    let structs = conditions.iter().map(|condition| expand_struct(set, condition));
    let impls = conditions.iter().map(|condition| expand_marker(set, condition));
    let implementation = expand_impl(set);
    quote! {
        #[doc = #doc]
        #[allow(dead_code, missing_docs, non_camel_case_types, unreachable_pub, rustdoc::all)]
        #vis mod #module {
            #import
            #(#structs)*
        }
        const _: () = {
            #import
            #(#impls)*
            #implementation
        };
    }
}

fn expand_impl(set: &Set) -> TokenStream {
    let Set { krate, ident, module, conditions, .. } = set;
    let (name, markers) = (plain(ident), plain(module));
    let infos = conditions.iter().map(|condition| expand_info(set, condition));
    let summaries = set.summaries.iter().map(
        |Summary { name, places, doc }| quote!(#krate::SummaryInfo { type_: #name, of: &[#(#places),*], doc: #doc }),
    );
    let summaries = (!set.summaries.is_empty())
        .then(|| quote!(const SUMMARIES: &'static [#krate::SummaryInfo] = &[#(#summaries),*];));
    quote! {
        impl #krate::ConditionSet for #ident {
            const NAME: &'static #krate::std::primitive::str = #name;
            const MARKERS: &'static #krate::std::primitive::str = #markers;
            const CONDITIONS: &'static [#krate::ConditionInfo] = &[#(#infos),*];
            #summaries
        }
        impl #krate::IsSet for #ident {
            type Set = Self;
        }
    }
}

/// The marker has the span of the variant, so that "go to definition" finds the variant.
fn expand_struct(set: &Set, condition: &Condition) -> TokenStream {
    let Condition { ident, docs, .. } = condition;
    let (krate, vis) = (set.krate.beside(ident.span()), &set.inner);
    quote_spanned! {ident.span()=>
        #docs
        #[derive(#krate::Clone, #krate::Copy, #krate::Debug)]
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
        impl #krate::ConditionMarker for #module::#ident {
            type Set = #enum_;
            const INDEX: #krate::std::primitive::usize = #place;
        }
        impl #krate::Readable for #module::#ident {}
    }
}

fn expand_info(set: &Set, condition: &Condition) -> TokenStream {
    let (krate, Condition { name, doc, .. }) = (&set.krate, condition);
    let polarity = match condition.polarity {
        Polarity::Positive => quote!(Positive),
        Polarity::Negative => quote!(Negative),
        Polarity::Bipolar => quote!(Bipolar),
    };
    let message = Some(docs::sentence(doc)).filter(|message| !message.is_empty()).into_iter();
    let doc = Some(doc).filter(|doc| !doc.is_empty()).into_iter();
    let reasons =
        condition.reasons.iter().map(|Reason { name, doc }| quote!(#krate::ReasonInfo { name: #name, doc: #doc }));
    let reasons = (!condition.reasons.is_empty()).then(|| quote!(.with_reasons(&[#(#reasons),*])));
    quote!(#krate::ConditionInfo::new(#name, #krate::Polarity::#polarity) #(.with_doc(#doc))* #(.with_message(#message))* #reasons)
}
