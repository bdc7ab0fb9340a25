//! Expands a review: the function, its marker, its declarations and its call.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, ReturnType, Type};

use super::args::AdmissionArgs;
use super::model::Review;
use super::what::What;
use crate::sub_reconciler::relation::{How, Watch};
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;
use crate::syntax::names::{path_text, plain};
use crate::syntax::sent::expand_sent;

pub(super) fn expand(review: &Review) -> TokenStream {
    let Review { what, args, function, marker, object, .. } = review;
    let (full, krate) = (&args.krate, &args.krate.short());
    let (import, wiring) = (full.import(), expand_wiring(review, krate));
    let permissions = read(args).map(|kind| quote!(impl #krate::Declares<#krate::reads, #kind> for #marker {}));
    let call = expand_call(review, krate);
    let kind = expand_kind(object, full);
    let attrs = function.inherited_as(&format!("the {} `{}`.", what.noun(), plain(&function.sig.ident)));
    let (defined, function) = (marker.define(&attrs, full), expand_sent(function, full));
    quote! {
        #function
        #defined
        const _: () = {
            #import
            impl #krate::AdmissionFunction for #marker {
                type Object = #kind;
                const WIRING: #krate::AdmissionWiring = #wiring;
            }
            #(#permissions)*
            #call
        };
    }
}

/// The kind of the object. For another type, the constant is the only error.
fn expand_kind(object: &Type, krate: &Krate) -> TokenStream {
    let here = krate.at(object.span());
    let asked = quote_spanned!(object.span()=> #here::is_kind::<#object>());
    quote_spanned!(object.span()=> <#object as #here::ReviewedKind<{ #asked }>>::Kind)
}

/// The kinds that the function may read, each once.
fn read(args: &AdmissionArgs) -> impl Iterator<Item = &Path> {
    let kinds = args.reads.iter().chain(args.watches.iter().map(|watch| &watch.kind));
    let mut seen: Vec<String> = Vec::new();
    kinds.filter(move |kind| {
        let (text, is_new) = (path_text(kind), !seen.contains(&path_text(kind)));
        seen.push(text);
        is_new
    })
}

/// The wiring: only the fields that the author declared.
fn expand_wiring(review: &Review, krate: &Krate) -> TokenStream {
    let Review { what, args, function, takes_old, fields, .. } = review;
    let name = plain(&function.sig.ident);
    let flag = |name: &str, is_set: bool| {
        let name = format_ident!("{name}");
        is_set.then(|| quote!(#name: true,))
    };
    let flags = [
        flag("mutates", *what == What::Mutate),
        flag("takes_old", *takes_old),
        flag("unchanged", args.unchanged.is_some()),
        flag("anyway", args.anyway.is_some()),
    ];
    let flags = flags.into_iter().flatten();
    let some = |name: &str, text: &Option<syn::LitStr>| {
        let name = format_ident!("{name}");
        text.as_ref().map(|text| quote!(#name: #krate::std::option::Option::Some(#text),))
    };
    let texts = [
        some("when", &args.when),
        some("objects", &args.objects),
        some("namespaces", &args.namespaces),
        some("subresource", &args.subresource),
    ];
    let texts = texts.into_iter().flatten();
    let operations = args.on.iter().map(|words| {
        let words = words.iter().map(variant);
        quote!(operations: &[#(#krate::Operation::#words),*],)
    });
    let failure = args.ignores.then(|| quote!(failure: #krate::Failure::Ignore,));
    let timeout = args.timeout.map(|timeout| expand_duration(krate, timeout)).into_iter();
    let relations = expand_relations(args, krate);
    let fields = (!fields.is_empty()).then(|| quote!(fields: &[#(#fields),*],));
    quote! {
        #krate::AdmissionWiring {
            name: #name,
            #(#flags)*
            #(#operations)*
            #failure
            #(timeout: #timeout,)*
            #(#texts)*
            #relations
            #fields
            ..#krate::AdmissionWiring::DEFAULT
        }
    }
}

fn variant(word: &Ident) -> Ident {
    let name = match word.to_string().as_str() {
        "create" => "Create",
        "delete" => "Delete",
        _ => "Update",
    };
    format_ident!("{name}")
}

fn expand_relations(args: &AdmissionArgs, krate: &Krate) -> Option<TokenStream> {
    let relation = |how: TokenStream, kind: &Path| {
        let here = krate.full().at(kind.span());
        quote!(#krate::Relation::new(#krate::How::#how, <#kind as #here::Readable>::KIND))
    };
    let reads = args.reads.iter().map(|kind| relation(quote!(Reads), kind));
    let watches = args.watches.iter().filter_map(|Watch { kind, how, .. }| match how {
        How::Selected(labels, fields) => {
            let selector = How::selector(labels.as_ref(), fields.as_ref());
            Some(relation(quote!(WatchesLabels(#selector)), kind))
        }
        How::ByName => None,
    });
    let relations: Vec<TokenStream> = reads.chain(watches).collect();
    (!relations.is_empty()).then(|| quote!(relations: &[#(#relations),*],))
}

/// The call of the function, for all dependencies that contain its own.
fn expand_call(review: &Review, krate: &Krate) -> TokenStream {
    let Review { what, function, marker, takes_old, dependencies, has_context, .. } = review;
    let (name, full) = (&function.sig.ident, krate.full());
    let (object_, old, deps, cx) = (hidden("object"), hidden("old"), hidden("deps"), hidden("cx"));
    let given = match what {
        What::Validate => quote!(&*#object_),
        What::Mutate => object_.to_token_stream(),
    };
    let provided = dependencies.iter().enumerate().map(|(at, ty)| {
        let (at, unboxed) = (syn::Index::from(at), is_dyn(ty).then(|| quote!(**)));
        match unboxed {
            Some(stars) => quote!(&#stars &#deps.#at,),
            None => quote!(&#deps.#at,),
        }
    });
    let provided = quote!(#(#provided)*);
    let old_ = takes_old.then(|| quote!(#old,));
    let cx_ = has_context.then(|| quote!(#cx,));
    let wait = function.sig.asyncness.is_some().then(|| quote!(.await));
    let call = quote_spanned!(name.span()=> #name(#given, #old_ #provided #cx_));
    let output = match &function.sig.output {
        ReturnType::Type(_, ty) => ty.to_token_stream(),
        ReturnType::Default => quote!(()),
    };
    let here = full.at(output.span());
    let returned = quote_spanned!(output.span()=> #here::returned::<#output>);
    let given = expand_dependencies(dependencies, krate);
    quote! {
        impl #krate::Admits for #marker {
            #given
            #[allow(unused_variables)]
            async fn admit(
                #object_: &mut Self::Object,
                #old: #krate::std::option::Option<&Self::Object>,
                #deps: &Self::Dependencies,
                #cx: &mut #krate::Review<'_, Self>,
            ) -> #krate::std::result::Result<(), #krate::Denial> {
                #returned(#call #wait)
            }
        }
    }
}

/// The dependencies of a function, and how they are taken from the list of all.
pub(crate) fn expand_dependencies(dependencies: &[Type], krate: &Krate) -> TokenStream {
    let (owned, rest) = (dependencies.iter().map(|ty| owned(ty, krate)).collect::<Vec<_>>(), hidden("Rest"));
    let names: Vec<Ident> = (0..owned.len()).map(|at| hidden(&format!("dependency{at}"))).collect();
    let list = owned.iter().rev().fold(quote!(#rest), |list, ty| quote!((#ty, #list)));
    let taken = names.iter().rev().fold(quote!(rest), |list, name| quote!((#name, #list)));
    quote! {
        type Dependencies = (#(#owned,)*);
        type With<#rest> = #list;
        fn take<#rest>(#taken: Self::With<#rest>) -> (Self::Dependencies, #rest) {
            ((#(#names,)*), rest)
        }
    }
}

/// The owned form of a dependency: `dyn Git` in a box.
fn owned(ty: &Type, krate: &Krate) -> TokenStream {
    match is_dyn(ty) {
        true => quote!(#krate::std::boxed::Box<#ty>),
        false => ty.to_token_stream(),
    }
}

fn is_dyn(ty: &Type) -> bool {
    matches!(ty, Type::TraitObject(_))
}
