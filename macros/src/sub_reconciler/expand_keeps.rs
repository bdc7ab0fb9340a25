//! Expands the argument `dependents`: the settings of the set as a function of the object, and the checks of the step.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ReturnType;
use syn::spanned::Spanned;

use super::args::StepArgs;
use super::expand_ready::expand_checks;
use super::keeps::{Keeps, TextKind};
use super::keeps_value::Source;
use super::model::Step;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::kind_text::expand_kind;
use crate::syntax::krate::Krate;
use crate::syntax::names::path_text;

/// The relations of the step: `own`, and those to kinds that are known by text or from templates.
pub(super) fn expand_relations(args: &StepArgs, own: &[TokenStream]) -> TokenStream {
    let krate = &args.krate;
    let texts: Vec<TokenStream> = args
        .keeps
        .iter()
        .flat_map(|keeps| &keeps.texts)
        .map(|text| {
            let TextKind { api_version, kind, plural, cluster_scoped } = text;
            expand_kind(krate, api_version, kind, plural.as_deref(), *cluster_scoped)
        })
        .collect();
    let by_text = texts
        .iter()
        .map(|text| quote!(#krate::Relation::new(#krate::How::Keeps, #krate::std::option::Option::Some((#text).info))));
    let any = args.keeps.iter().filter_map(|keeps| keeps.any.as_ref());
    let any = any.map(|_| quote!(#krate::Relation::new(#krate::How::Keeps, #krate::std::option::Option::None)));
    let own: Vec<TokenStream> = own.iter().cloned().chain(by_text).chain(any).collect();
    if args.keeps.as_ref().is_none_or(|keeps| keeps.templates.is_empty()) {
        return if own.is_empty() { TokenStream::new() } else { quote!(relations: &[#(#own),*],) };
    }
    // The number of kinds in the templates is known when their constants are evaluated.
    let (count, sets) = (own.len(), hidden("TEMPLATES"));
    quote! {
        relations: &#krate::join_relations::<{ #krate::count_relations(#count, &[#(#texts),*], #sets) }>(
            &[#(#own),*],
            &[#(#texts),*],
            #sets,
        ),
    }
}

/// With `any`, the permission to keep objects of every kind.
pub(super) fn expand_permission(step: &Step) -> Option<TokenStream> {
    let (krate, marker, kind) = (&step.args.krate, &step.marker, hidden("Kind"));
    step.args.keeps.as_ref()?.any.as_ref()?;
    let (params, bounds) = marker.params(Some(&kind), &TokenStream::new());
    Some(quote!(impl #params #krate::Declares<#krate::dependents, #kind> for #marker #bounds {}))
}

/// The patterns of the types that the dependents of the step serve.
pub(super) fn expand_manages(args: &StepArgs) -> TokenStream {
    let patterns = args.keeps.iter().flat_map(|keeps| &keeps.manages);
    quote!(#(#patterns),*)
}

/// The function that reads the settings of the set from an object, and where further patterns come from.
pub(super) fn expand_settings_of(step: &Step) -> TokenStream {
    let (krate, marker) = (&step.args.krate, &step.marker);
    let source = step.args.keeps.iter().filter_map(|keeps| keeps.manages_of.as_ref()).map(|source| match source {
        Source::Field(field) => field.to_token_stream().to_string().replace(' ', ""),
        Source::Function(path) => format!("the function `{}`", path_text(path)),
    });
    let settings = step.args.keeps.iter().map(|_| quote!(#krate::read_settings::<#marker>));
    quote! {
        #(manages_of: #krate::std::option::Option::Some(#source),)*
        #(settings: #krate::std::option::Option::Some(#settings),)*
    }
}

/// The declared sets of templates, as a constant next to the impls of the step.
pub(super) fn expand_templates(args: &StepArgs) -> TokenStream {
    let krate = &args.krate;
    let Some(keeps) = args.keeps.as_ref().filter(|keeps| !keeps.templates.is_empty()) else {
        return TokenStream::new();
    };
    let sets = keeps.templates.iter().map(|path| quote_spanned!(path.span()=> &#path));
    let name = hidden("TEMPLATES");
    quote!(const #name: &[&#krate::Templates] = &[#(#sets),*];)
}

/// The settings of the set, as a method of the step.
pub(super) fn expand_settings(step: &Step) -> TokenStream {
    let (krate, Some(keeps)) = (&step.args.krate, &step.args.keeps) else { return TokenStream::new() };
    let object = hidden("object");
    let (policies, ready_within) = (expand_policies(krate, keeps), expand_ready_within(krate, keeps));
    let limit = keeps.limit.iter();
    let manages = keeps.manages_of.as_ref().map(|source| read(krate, source, |at| quote_spanned!(at=> type_texts)));
    let manages = manages.into_iter();
    let inventory = keeps.inventory.then(|| quote!(inventory: true,));
    let may_be_empty = keeps.may_be_empty.then(|| quote!(may_be_empty: true,));
    quote! {
        #[allow(unused_variables)]
        fn dependents(#object: &Self::Object) -> #krate::std::option::Option<#krate::SetSettings> {
            #krate::std::option::Option::Some(#krate::SetSettings {
                #policies
                #ready_within
                #(limit: #limit,)*
                #may_be_empty
                #inventory
                #(manages: #manages,)*
                ..#krate::SetSettings::DEFAULT
            })
        }
    }
}

/// The policies of the object, filled up with those of the attribute.
fn expand_policies(krate: &Krate, keeps: &Keeps) -> TokenStream {
    let words = keeps.words.iter().map(|(policy, variant)| {
        let (field, ty, variant) =
            (format_ident!("{}", policy.field), format_ident!("{}", policy.ty), format_ident!("{variant}"));
        quote!(#field: #krate::std::option::Option::Some(#krate::dependent_policy::#ty::#variant),)
    });
    let reapply = keeps.reapply.map(|duration| expand_duration(krate, duration)).into_iter();
    let reapply =
        quote!(#(reapply_interval: #krate::std::option::Option::Some(#krate::std::convert::From::from(#reapply)),)*);
    let own =
        quote!(#krate::dependent_policy::Policies { #(#words)* #reapply ..#krate::SetSettings::DEFAULT.policies });
    let of_object = keeps.policies.as_ref();
    let of_object = of_object
        .map(|source| read(krate, source, |at| quote_spanned!(at=> dependent_policy::PoliciesField::policies)));
    match of_object {
        None => quote!(policies: #own,),
        Some(of_object) => quote!(policies: #krate::dependent_policy::Policies::or(#of_object, #own),),
    }
}

/// A value of the object, read by a method of a trait at its location.
fn read(krate: &Krate, source: &Source, method: impl FnOnce(Span) -> TokenStream) -> TokenStream {
    let span = match source {
        Source::Field(field) => field.span(),
        Source::Function(path) => path.span(),
    };
    let (here, object, method) = (krate.at(span), hidden_at("object", span), method(span));
    match source {
        Source::Field(field) => quote_spanned!(span=> #here::#method(&#object.#field)),
        Source::Function(path) => quote_spanned!(span=> #here::#method(&#path(#object))),
    }
}

fn expand_ready_within(krate: &Krate, keeps: &Keeps) -> TokenStream {
    let Some(given) = &keeps.ready_within else { return TokenStream::new() };
    let limit = given.as_ref().map_or_else(|| quote!(#krate::std::option::Option::None), |time| time.expand(krate));
    quote!(ready_within: #limit,)
}

/// The mark of a step with dependents, and the checks of its result and of the status.
pub(super) fn expand_impls(step: &Step) -> TokenStream {
    let (krate, Some(keeps)) = (&step.args.krate, &step.args.keeps) else { return TokenStream::new() };
    let (marker, object) = (&step.marker, &step.object);
    let (params, bounds) = marker.params(None, &TokenStream::new());
    let sets = hidden("TEMPLATES");
    let renders = (!keeps.templates.is_empty()).then(|| {
        quote! {
            impl #params #krate::Renders for #marker #bounds {
                const TEMPLATES: &'static [&'static #krate::Templates] = #sets;
            }
        }
    });
    let ready = expand_checks(krate, keeps);
    let converges = quote! {
        impl #params #krate::Converges for #marker #bounds {}
        #renders
        #ready
    };
    if marker.is_generic() {
        return converges;
    }
    let (at_word, output) = (krate.at(keeps.key.span()), output(step));
    let at_output = krate.at(output.span());
    let stores = quote_spanned!(keeps.key.span()=> #at_word::stores_dependents::<#object>());
    let returns = quote_spanned!(output.span()=> #at_output::returns_dependents::<#output>());
    quote! {
        #converges
        const _: () = #stores;
        const _: () = #returns;
    }
}

/// The return type of the function.
fn output(step: &Step) -> TokenStream {
    match &step.function.sig.output {
        ReturnType::Type(_, ty) => ty.to_token_stream(),
        ReturnType::Default => quote!(()),
    }
}
