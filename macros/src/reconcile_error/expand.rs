//! Expands the classes of an error.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Member;
use syn::spanned::Spanned;

use super::args::Poll;
use super::model::{Arm, Classed, ErrorModel, Kind, Transparent};
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::hidden_at;
use crate::syntax::krate::Krate;

pub(crate) fn expand(model: &ErrorModel) -> TokenStream {
    let ErrorModel { krate, ident, generics, arms } = model;
    let (params, args, bounds) = generics.split_for_impl();
    let class = arms.iter().map(|arm| match arm {
        Arm::Classed(arm) => expand_class(krate, arm),
        Arm::Transparent(arm) => expand_inner(krate, arm, "class"),
    });
    let reason = arms.iter().map(|arm| match arm {
        Arm::Classed(Classed { ident, reason, .. }) => quote!(Self::#ident { .. } => #reason,),
        Arm::Transparent(arm) => expand_inner(krate, arm, "reason"),
    });
    let actions = arms.iter().map(|arm| match arm {
        Arm::Classed(arm) => {
            let (ident, actions) = (&arm.ident, expand_actions(krate, arm));
            quote!(Self::#ident { .. } => #actions,)
        }
        Arm::Transparent(arm) => expand_inner(krate, arm, "actions"),
    });
    let retry = expand_retry(krate, arms);
    let variants = expand_variants(krate, arms);
    // An enum without variants, or another item, has nothing to match on.
    let (class, reason, actions) = match arms.is_empty() {
        true => (quote!(#krate::Class::Transient), quote!(""), quote!(#krate::Actions::TRANSIENT)),
        false => {
            (quote!(match self { #(#class)* }), quote!(match self { #(#reason)* }), quote!(match self { #(#actions)* }))
        }
    };
    quote! {
        #[automatically_derived]
        impl #params #krate::ReconcileError for #ident #args #bounds {
            fn class(&self) -> #krate::Class { #class }
            fn reason(&self) -> &'static #krate::std::primitive::str { #reason }
            fn actions(&self) -> #krate::Actions { #actions }
            #retry
            const VARIANTS: &'static [#krate::VariantInfo] = #variants;
        }
    }
}

fn expand_class(krate: &Krate, Classed { ident, class, .. }: &Classed) -> TokenStream {
    let class = match class {
        Kind::Stalled => quote!(Stalled),
        Kind::Ignored => quote!(Ignored),
        Kind::Transient => quote!(Transient),
        Kind::Waiting(None) => quote!(Waiting { poll: #krate::std::option::Option::None }),
        Kind::Waiting(Some(Poll::After(poll))) => {
            let poll = expand_duration(krate, *poll);
            quote!(Waiting { poll: #krate::std::option::Option::Some(#poll) })
        }
        Kind::Waiting(Some(Poll::Field(member))) => return expand_polled(krate, ident, member),
        Kind::Waiting(Some(Poll::Requeue)) => quote!(Waiting { poll: #krate::std::option::Option::None }),
    };
    quote!(Self::#ident { .. } => #krate::Class::#class,)
}

/// A method of the error in the field. The check that it has classes has the span of its type.
fn expand_inner(krate: &Krate, Transparent { ident, member, ty }: &Transparent, method: &str) -> TokenStream {
    let span = ty.span();
    let (here, inner, method) = (krate.at(span), hidden_at("inner", span), format_ident!("{method}", span = span));
    quote_spanned!(span=> Self::#ident { #member: #inner } => <#ty as #here::ReconcileError>::#method(#inner),)
}

/// The information on all variants. A transparent variant stands for those of its field.
fn expand_variants(krate: &Krate, arms: &[Arm]) -> TokenStream {
    let classed = arms.iter().map(|arm| match arm {
        Arm::Classed(arm) => Some(expand_variant(krate, arm)),
        Arm::Transparent(_) => None,
    });
    if let Some(variants) = classed.collect::<Option<Vec<_>>>() {
        return quote!(&[#(#variants),*]);
    }
    let parts = arms.iter().map(|arm| match arm {
        Arm::Classed(arm) => {
            let variant = expand_variant(krate, arm);
            quote!(&[#variant])
        }
        Arm::Transparent(Transparent { ty, .. }) => {
            let here = krate.at(ty.span());
            quote_spanned!(ty.span()=> <#ty as #here::ReconcileError>::VARIANTS)
        }
    });
    quote!({
        const PARTS: &[&[#krate::VariantInfo]] = &[#(#parts),*];
        const ALL: [#krate::VariantInfo; #krate::count_variants(PARTS)] = #krate::join_variants(PARTS);
        &ALL
    })
}

/// The poll time from a field. The check that it is a duration has the author's span.
fn expand_polled(krate: &Krate, ident: &Ident, member: &Member) -> TokenStream {
    let (here, poll) = (krate.at(member.span()), hidden_at("poll", member.span()));
    let interval = quote_spanned!(member.span()=> #here::IntoInterval::into_interval(*#poll));
    quote!(Self::#ident { #member: #poll, .. } => #krate::Class::polling(#interval),)
}

/// The retry paces of the variants that declare one.
fn expand_retry(krate: &Krate, arms: &[Arm]) -> TokenStream {
    let said = arms.iter().filter_map(|arm| match arm {
        Arm::Classed(Classed { ident, retry, .. }) => {
            let retry = format_ident!("{}", (*retry)?);
            Some(quote!(Self::#ident { .. } => #krate::Retry::#retry,))
        }
        Arm::Transparent(arm) => Some(expand_inner(krate, arm, "retry")),
    });
    let said: Vec<TokenStream> = said.collect();
    match said.is_empty() {
        true => TokenStream::new(),
        false => {
            let others = (said.len() < arms.len()).then(|| quote!(_ => #krate::Retry::Slow,));
            quote!(fn retry(&self) -> #krate::Retry { match self { #(#said)* #others } })
        }
    }
}

/// The compile-time information on a variant.
fn expand_variant(krate: &Krate, arm: &Classed) -> TokenStream {
    let Classed { class, reason, doc, .. } = arm;
    let word = match class {
        Kind::Stalled => "stalled",
        Kind::Ignored => "ignored",
        Kind::Transient => "transient",
        Kind::Waiting(_) => "waiting",
    };
    let actions = expand_actions(krate, arm);
    let retry = arm.retry.map(|retry| format_ident!("{retry}")).into_iter();
    let until = expand_until(krate, arm);
    quote!(#krate::VariantInfo::new(#reason, #word, #doc, #actions) #(.retried(#krate::Retry::#retry))* #until)
}

/// The actions of a variant: those of its class, with the overrides of its attribute.
fn expand_actions(krate: &Krate, Classed { class, actions, .. }: &Classed) -> TokenStream {
    let class = match class {
        Kind::Stalled => quote!(STALLED),
        Kind::Ignored => quote!(IGNORED),
        Kind::Transient => quote!(TRANSIENT),
        Kind::Waiting(_) => quote!(WAITING),
    };
    let severity = actions.severity.map(|severity| format_ident!("{severity}").into_token_stream());
    let class = severity.unwrap_or(class);
    let event = actions.event.map(|level| format_ident!("{level}")).into_iter();
    let log = actions.log.map(|level| format_ident!("{level}")).into_iter();
    let notify = actions.notify.iter().map(|notify| match notify {
        true => quote!(.with_notification()),
        false => quote!(.without_notification()),
    });
    quote! {
        #krate::Actions::#class
            #(.with_event(#krate::EventLevel::#event))*
            #(.with_log(#krate::LogLevel::#log))*
            #(#notify)*
    }
}

/// The condition that ends a wait. The check that the type of a bare `waiting` names a watched object has the span of the type.
fn expand_until(krate: &Krate, arm: &Classed) -> TokenStream {
    let until = match (&arm.class, &arm.triggered_by) {
        (Kind::Waiting(None), Some(ty)) => {
            let here = krate.at(ty.span());
            quote_spanned!(ty.span()=> #here::triggered_by::<#ty>())
        }
        (Kind::Waiting(None), None) => quote!(#krate::Until::Resync),
        (Kind::Waiting(Some(Poll::After(poll))), _) => {
            let poll = expand_duration(krate, *poll);
            quote!(#krate::Until::Poll(#poll))
        }
        (Kind::Waiting(Some(_)), _) => quote!(#krate::Until::PollOfError),
        _ => return TokenStream::new(),
    };
    quote!(.until(#until))
}
