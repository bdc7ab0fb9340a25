//! Expands a step: the function, its marker, its declarations and its permissions.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Path, Signature, Type, parse_quote};

use super::args::{Order, StepArgs};
use super::expand_keeps;
use super::expand_ready;
use super::expand_site;
use super::model::{ErrorType, Step, StepReason};
use super::parts::Parts;
use super::relation::{Adopt, Cache, How, Level, Own, Watch};
use crate::syntax::action::wire;
use crate::syntax::docs;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::krate::Krate;
use crate::syntax::names::path_text;
use crate::syntax::sent::expand_sent;

pub(crate) fn expand(step: &Step) -> Parts {
    let Step { args, function, marker, name, .. } = step;
    let (import, set, alias) = (args.krate.import(), expand_set(step), expand_short_set(step));
    let (implementation, rights, owns) = (expand_impl(step), expand_permissions(step), expand_owns(step));
    let (reasons, stored) = (expand_reason_checks(step), expand_action_checks(step));
    let (mappings, templates) = (expand_mappings(args), expand_keeps::expand_templates(args));
    let impls = quote! {
        const _: () = {
            #import
            #templates
            type #alias = #set;
            #mappings
            #implementation
            #rights
            #owns
        };
        #reasons
        #stored
    };
    let attrs = function.inherited_as(&format!("the step `{name}`."));
    let marker = marker.define(&attrs, &args.krate.full());
    let entered = expand_site::enter(step);
    Parts { function: expand_sent(entered.as_ref().unwrap_or(function), &args.krate.full()), marker, impls }
}

fn expand_impl(step: &Step) -> TokenStream {
    let Step { args, marker, object, .. } = step;
    let (krate, set) = (&args.krate, expand_short_set(step));
    let (error, undo, wiring) = (expand_error(krate, &step.error), expand_undo(step), expand_wiring(step));
    let (params, bounds) = marker.params(None, &TokenStream::new());
    let kind = expand_object(step);
    let (settings, keeps) = (expand_keeps::expand_settings(step), expand_keeps::expand_impls(step));
    let site = expand_site::expand_impl(step);
    quote! {
        impl #params #krate::SubReconciler for #marker #bounds {
            type Object = #kind;
            type Conditions = #set;
            type Error = #error;
            type Undo = #undo;
            const WIRING: #krate::StepWiring = #wiring;
            #settings
        }
        #keeps
        #site
        impl #params #krate::StepOf<#object, #set> for #marker #bounds {}
    }
}

/// The kind of the object.
fn expand_object(step: &Step) -> TokenStream {
    let object = &step.object;
    if step.marker.is_generic() {
        return object.to_token_stream();
    }
    let here = step.args.krate.at(object.span());
    let asked = quote_spanned!(object.span()=> #here::is_primary::<#object>());
    quote_spanned!(object.span()=> <#object as #here::KindOf<{ #asked }>>::Kind)
}

/// The condition set, taken from the first condition.
fn expand_set(step: &Step) -> TokenStream {
    let first = &step.first;
    let here = step.args.krate.at(first.span());
    quote_spanned!(first.span()=> <#first as #here::ConditionMarker>::Set)
}

/// The condition set under its short name.
fn expand_short_set(step: &Step) -> Ident {
    hidden_at("Set", step.first.span())
}

fn expand_error(krate: &Krate, error: &ErrorType) -> TokenStream {
    match error {
        ErrorType::Named(ty) => ty.to_token_stream(),
        ErrorType::Within(ty) => {
            let here = krate.at(ty.span());
            quote_spanned!(ty.span()=> <#ty as #here::StepOutput>::Error)
        }
    }
}

/// The cleanup of an external step. A constant checks that it exists: if not, the type is an error already, and reconcilers report nothing
/// further. A generic step has no constants of its own.
fn expand_undo(step: &Step) -> TokenStream {
    let (marker, name) = (&step.marker, &step.function.sig.ident);
    match &step.args.external {
        Some(_) => {
            let here = step.args.krate.at(name.span());
            match marker.is_generic() {
                true => quote_spanned!(name.span()=> <#marker as #here::HasCleanup>::Cleanup),
                false => {
                    let asked = quote_spanned!(name.span()=> #here::has_cleanup::<#marker>());
                    quote_spanned!(name.span()=> <#marker as #here::CleanedUp<{ #asked }>>::Cleanup)
                }
            }
        }
        None => {
            let krate = &step.args.krate;
            quote!(#krate::NoCleanup)
        }
    }
}

/// The wiring: only the fields that the author declared.
fn expand_wiring(step: &Step) -> TokenStream {
    let Step { args, name, .. } = step;
    let krate = &args.krate;
    let doc = Some(docs::text(&step.function.attrs)).filter(|doc| !doc.is_empty()).into_iter();
    let external = args.external.iter().map(|_| quote!(external: true,));
    let check = args.order.iter().map(|order| {
        let when = match order {
            Order::Before => quote!(Before),
            Order::After => quote!(After),
        };
        quote!(check: #krate::std::option::Option::Some(#krate::When::#when),)
    });
    let deletes = (!args.owns.is_empty() && !step.deletes).then(|| quote!(deletes: false,));
    let timeout = args.timeout.iter().map(|timeout| expand_duration(krate, *timeout));
    let actions = args.actions.iter().map(|action| wire(&path_text(action)));
    let sets = expand_list("sets", expand_places(step, &args.sets));
    let clears = expand_list("clears", expand_places(step, &args.clears));
    let relations = expand_keeps::expand_relations(args, &expand_relations(args));
    let manages = expand_list("manages", expand_keeps::expand_manages(args));
    let settings = expand_keeps::expand_settings_of(step);
    let ready = expand_list("ready", expand_ready::expand_wiring(args));
    let within = args.keeps.as_ref().filter(|keeps| keeps.within_namespace).map(|_| quote!(within_namespace: true,));
    let escalates = args.keeps.as_ref().filter(|keeps| keeps.escalates).map(|_| quote!(escalates: true,));
    let events = args.keeps.as_ref().filter(|keeps| keeps.events).map(|_| quote!(events: true,));
    let prefix = args.keeps.iter().filter_map(|keeps| keeps.prefix.as_ref());
    let previously = args.keeps.iter().filter_map(|keeps| Some(keeps.former.as_ref()?.expand(krate)));
    let reasons = expand_list("reasons", expand_reasons(step));
    let fails = expand_list("fails", expand_places(step, &step.fails));
    let actions = expand_list("actions", quote!(#(#actions),*));
    let site = expand_site::expand_wiring(step);
    let live = takes_live(&step.function.sig).then(|| quote!(live: true,));
    quote! {
        #krate::StepWiring {
            name: #name,
            #(doc: #doc,)*
            #sets
            #clears
            #(#external)*
            #(#check)*
            #relations
            #manages
            #settings
            #ready
            #escalates
            #events
            #within
            #(prefix: #krate::std::option::Option::Some(#prefix),)*
            #(#previously)*
            #deletes
            #reasons
            #fails
            #actions
            #site
            #live
            #(timeout: #krate::std::option::Option::Some(#timeout),)*
            ..#krate::StepWiring::EMPTY
        }
    }
}

/// Whether a parameter is a `Live<..>`, by its last word. A reference to one counts.
fn takes_live(signature: &Signature) -> bool {
    fn is_live(ty: &Type) -> bool {
        match ty {
            Type::Reference(reference) => is_live(&reference.elem),
            Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "Live"),
            _ => false,
        }
    }
    signature.inputs.iter().any(|input| matches!(input, FnArg::Typed(typed) if is_live(&typed.ty)))
}

/// Expands to `field: &[..],` unless it is empty.
fn expand_list(field: &str, items: TokenStream) -> TokenStream {
    let field = format_ident!("{field}");
    match items.is_empty() {
        true => items,
        false => quote!(#field: &[#items],),
    }
}

/// The relations of the step to other kinds.
fn expand_relations(args: &StepArgs) -> Vec<TokenStream> {
    let krate = &args.krate;
    let owns = args.owns.iter().map(|own| {
        let relation = expand_relation(krate, &own.kind, &quote!(Owns), own.cache.as_ref());
        let adopt = own.adopt.map(|adopt| match adopt {
            Adopt::Never => quote!(.adopting(#krate::Adopt::Never)),
            Adopt::IfUnowned => quote!(.adopting(#krate::Adopt::IfUnowned)),
            Adopt::Always => quote!(.adopting(#krate::Adopt::Always)),
        });
        let anywhere = own.anywhere.then(|| quote!(.anywhere()));
        let labels = own.labels.iter().map(|(key, value)| quote!((#key, #value)));
        let labels = (!own.labels.is_empty()).then(|| quote!(.labelled(&[#(#labels),*])));
        quote!(#relation #adopt #anywhere #labels)
    });
    let watches = args.watches.iter().map(|watch| {
        let how = match &watch.how {
            How::ByName => quote!(WatchesByName),
            How::Selected(labels, fields) => {
                let selector = How::selector(labels.as_ref(), fields.as_ref());
                quote!(WatchesLabels(#selector))
            }
        };
        let relation = expand_relation(krate, &watch.kind, &how, watch.cache.as_ref());
        let indexes = expand_indexes(krate, watch);
        quote!(#relation #indexes)
    });
    let reads = args.reads.iter().chain(&args.polls);
    let reads = reads.map(|kind| expand_relation(krate, kind, &quote!(Reads), None));
    let uses = args.uses.iter().map(|uses| expand_relation(krate, &uses.kind, &uses.how(krate), None));
    let keeps = args.keeps.iter().flat_map(|keeps| &keeps.kinds);
    let keeps = keeps.map(|kind| {
        let is_cached = args.keeps.iter().any(|keeps| keeps.cached.contains(kind));
        let cached = is_cached.then(|| quote!(.cached(#krate::Cache::Full)));
        let relation = expand_relation(krate, kind, &quote!(Keeps), None);
        quote!(#relation #cached)
    });
    owns.chain(keeps).chain(watches).chain(reads).chain(uses).collect()
}

/// The places of conditions, which must be of one set.
fn expand_places(step: &Step, markers: &[Path]) -> TokenStream {
    let places = markers.iter().map(|marker| {
        let (here, set) = (step.args.krate.at(marker.span()), expand_short_set(step));
        quote_spanned!(marker.span()=> #here::place::<#marker, #set>())
    });
    quote!(#(#places),*)
}

/// The literal reasons that the step sets, each with the place of its condition.
fn expand_reasons(step: &Step) -> TokenStream {
    let reasons = step.reasons.iter().map(|StepReason { marker, reason }| {
        let place = expand_places(step, std::slice::from_ref(marker));
        quote!((#place, #reason))
    });
    quote!(#(#reasons),*)
}

fn expand_relation(krate: &Krate, kind: &Path, how: &TokenStream, cache: Option<&Cache>) -> TokenStream {
    let here = krate.at(kind.span());
    let cache = cache.map(|cache| match cache.level {
        Level::None => quote!(.cached(#krate::Cache::None)),
        Level::Metadata => quote!(.cached(#krate::Cache::Metadata)),
        Level::Full => quote!(.cached(#krate::Cache::Full)),
    });
    quote!(#krate::Relation::new(#krate::How::#how, <#kind as #here::Readable>::KIND) #cache)
}

/// The indexes of a watch, its mapping function included. The check that each indexes the watched kind has the span of the index.
fn expand_indexes(krate: &Krate, Watch { kind, indexes, map, .. }: &Watch) -> TokenStream {
    if indexes.is_empty() && map.is_none() {
        return TokenStream::new();
    }
    let indexers = indexes.iter().map(|index| {
        let here = krate.at(index.span());
        quote_spanned!(index.span()=> #here::indexer::<#index, #kind>())
    });
    let mapping = map.iter().map(|map| {
        let mapping = mapping_type(map);
        quote!(#krate::mapping::<#mapping>())
    });
    let indexers = indexers.chain(mapping);
    quote!(.indexed(&[#(#indexers),*]))
}

/// The types by which the wiring refers to mapping functions.
fn expand_mappings(args: &StepArgs) -> TokenStream {
    let krate = &args.krate;
    let mappings = args.watches.iter().filter_map(|Watch { kind, map, .. }| Some((kind, map.as_ref()?)));
    let mappings = mappings.map(|(kind, map)| {
        let (mapping, name, object) = (mapping_type(map), path_text(map), hidden("object"));
        let called = quote_spanned!(map.span()=> #map(#object));
        quote! {
            enum #mapping {}
            impl #krate::Mapping for #mapping {
                const NAME: &'static str = #krate::std::concat!(#krate::std::module_path!(), "::", #name);
                type Object = #kind;
                fn map(#object: &#kind) -> #krate::std::vec::Vec<#krate::Reference> {
                    #called
                }
            }
        }
    });
    quote!(#(#mappings)*)
}

fn mapping_type(map: &Path) -> Ident {
    let name = map.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("_");
    hidden_at(&format!("Mapping_{name}"), map.span())
}

/// The permissions of the step, as impls that the methods of its context require.
fn expand_permissions(step: &Step) -> TokenStream {
    let (args, krate) = (&step.args, &step.args.krate);
    let watched: Vec<&Path> = args.watches.iter().map(|watch| &watch.kind).collect();
    let owned: Vec<&Path> = args.owns.iter().map(|own| &own.kind).collect();
    let mut read: Vec<&Path> = Vec::new();
    let all = args.sets.iter().chain(&args.clears).chain(watched.iter().copied());
    for path in all.chain(owned.iter().copied()).chain(&args.reads).chain(&args.polls) {
        let text = path.to_token_stream().to_string();
        if !read.iter().any(|earlier| earlier.to_token_stream().to_string() == text) {
            read.push(path);
        }
    }
    let sets = expand_permission(step, "sets", &args.sets.iter().collect::<Vec<_>>());
    let clears = expand_permission(step, "clears", &args.clears.iter().collect::<Vec<_>>());
    let watches = expand_permission(step, "watches", &watched);
    let listed = args.watches.iter().filter(|watch| watch.lists()).map(|Watch { kind, .. }| kind);
    let labels = expand_permission(step, "labels", &listed.clone().collect::<Vec<_>>());
    let cached = args.owns.iter().filter(|own| own.keeps()).map(|Own { kind, .. }| kind);
    let cached = expand_permission(step, "cached", &cached.chain(listed).collect::<Vec<_>>());
    let indexes = args.watches.iter().flat_map(|watch| &watch.indexes);
    let indexes = expand_permission(step, "indexes", &indexes.collect::<Vec<_>>());
    let mapped = args.watches.iter().filter(|watch| watch.map.is_some()).map(|Watch { kind, .. }| kind);
    let mapped = expand_permission(step, "mapped", &mapped.collect::<Vec<_>>());
    let owns = expand_permission(step, "owns", &owned);
    let anywhere = args.owns.iter().filter(|own| own.anywhere).map(|Own { kind, .. }| kind);
    let anywhere = expand_permission(step, "anywhere", &anywhere.collect::<Vec<_>>());
    let kept = expand_keeps::expand_permission(step).unwrap_or_else(|| {
        let kept = args.keeps.iter().flat_map(|keeps| &keeps.kinds).collect::<Vec<_>>();
        expand_permission(step, "dependents", &kept)
    });
    let kept =
        [kept, expand_permission(step, "kept", &args.keeps.iter().flat_map(|keeps| &keeps.cached).collect::<Vec<_>>())];
    let reads = expand_permission(step, "reads", &read);
    let uses = args.uses.first().map(|_| {
        let own: Path = parse_quote!(#krate::OwnCalls);
        expand_permission(step, "uses", &[&own])
    });
    quote!(#sets #clears #watches #labels #indexes #mapped #cached #owns #(#kept)* #anywhere #reads #uses)
}

/// The impls of one permission. They are on the step, so that a kind may be a type parameter of it.
fn expand_permission(step: &Step, list: &str, things: &[&Path]) -> TokenStream {
    let (krate, marker) = (&step.args.krate, &step.marker);
    let list = format_ident!("{list}");
    let (params, bounds) = marker.params(None, &TokenStream::new());
    quote!(#(impl #params #krate::Declares<#krate::#list, #things> for #marker #bounds {})*)
}

/// Checks that the object may own the kinds: the garbage collector must be able to follow the reference.
fn expand_owns(step: &Step) -> TokenStream {
    let (krate, object) = (&step.args.krate, &step.object);
    let (params, bounds) = step.marker.params(None, &TokenStream::new());
    let owns = step.args.owns.iter().map(|Own { kind, .. }| {
        let here = krate.at(kind.span());
        let owns = quote_spanned!(kind.span()=> #here::may_own::<#kind, #object>());
        quote!(const _: () = { #[allow(dead_code, clippy::multiple_bound_locations)] const fn owns #params () #bounds { #owns } };)
    });
    quote!(#(#owns)*)
}

/// Checks that reasons are in the closed sets. Each has its own constant, since rustc stops at the first panic in one.
fn expand_reason_checks(step: &Step) -> TokenStream {
    let krate = step.args.krate.full();
    let reasons = step.reasons.iter().map(|StepReason { marker, reason }| {
        let here = krate.at(reason.span());
        quote_spanned!(reason.span()=> const REASON: () = #here::check_reason::<#marker>(#reason);)
    });
    quote!(#(#[allow(dead_code)] const _: () = { #reasons };)*)
}

/// The check that the tokens of the actions are stored. A generic step has no constants of its own.
fn expand_action_checks(step: &Step) -> TokenStream {
    let marker = &step.marker;
    let declared = step.args.actions.first().filter(|_| !marker.is_generic());
    let check = declared.map(|action| {
        let here = step.args.krate.full().at(action.span());
        quote_spanned!(action.span()=> const STORED: () = #here::check_actions_stored::<#marker>();)
    });
    check.map(|check| quote!(#[allow(dead_code)] const _: () = { #check };)).unwrap_or_default()
}
