//! Prints a reconciler: the pipeline with its bookkeeping, the entry points, the checks across steps.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::args::{ReconcilerArgs, Requeue};
use super::model::Reconciler;
use super::pipeline::Call;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::shape::{hidden, hidden_at};

pub(crate) fn expand(reconciler: &Reconciler) -> TokenStream {
    let function = expand_function(reconciler);
    let marker = expand_marker(&reconciler.function);
    let implementation = expand_impl(reconciler);
    let provides = expand_provides(&reconciler.args.krate, &reconciler.function, &reconciler.dependencies);
    let checks = expand_checks(reconciler);
    quote!(#function #marker #implementation #provides #checks)
}

/// The author's function, of which each step begins, runs and ends in its own context.
fn expand_function(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, calls, .. } = reconciler;
    let (krate, Function { attrs, vis, sig, body }) = (&args.krate, function);
    let calls = calls.iter().map(|call| expand_call(reconciler, call));
    let mut block = proc_macro2::Group::new(body.delimiter(), quote!(#(#calls)* #krate::std::result::Result::Ok(())));
    block.set_span(body.span());
    quote!(#(#attrs)* #vis #sig #block)
}

/// `[let x =] { begin; run; end }?;`, where what rustc may complain of stands at the author's tokens.
fn expand_call(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let Reconciler { args, context, object: kind, .. } = reconciler;
    let krate = &args.krate;
    let Call { bound, path, inputs, object, context: handed } = call;
    let (step, done, tag) = (hidden("cx"), hidden("done"), hidden("tag"));
    let (seen, lent) = (hidden_at("object", object.span()), hidden_at("cx", handed.span()));
    let function = hidden_at("step", path.span());
    let bound = bound.iter().map(|(token, pattern)| quote!(#token #pattern =));
    let (here, set) = (krate.at(path.span()), expand_set(reconciler).unwrap_or_else(|| quote!(_)));
    let tagged = expand_step(reconciler, call);
    let object = quote_spanned!(path.span()=> let #seen = #here::object::<#kind, #set, _>(&#step, #object););
    let handed = quote_spanned!(handed.span()=> &mut #lent);
    quote! {
        #(#bound)* {
            let mut #step = #krate::begin(#tagged, #context);
            let #tag = #krate::tag(&#step);
            let #function = #path;
            #object
            let #done = #krate::run(#tag, #function(#seen, #(#inputs,)* #handed)).await;
            #krate::finish(#step, #done)
        }?;
    }
}

/// The step of a call. The path stands for a value here as everywhere: where it leads nowhere, rustc says so once.
fn expand_step(reconciler: &Reconciler, call: &Call) -> TokenStream {
    let (path, here) = (&call.path, reconciler.args.krate.at(call.path.span()));
    quote_spanned!(path.span()=> #here::step_of(&#path))
}

/// The condition set. That it is one is asked here only, in words that are the same everywhere, so that rustc says them once.
fn expand_set(reconciler: &Reconciler) -> Option<TokenStream> {
    let set = reconciler.conditions.as_ref()?;
    let here = reconciler.args.krate.at(set.span());
    Some(quote_spanned!(set.span()=> <#set as #here::IsSet>::Set))
}

/// The condition set, or what stands in for it.
fn expand_set_or_poison(reconciler: &Reconciler) -> TokenStream {
    let krate = &reconciler.args.krate;
    expand_set(reconciler).unwrap_or_else(|| quote!(#krate::Poison))
}

/// The type with the name of the function: braces keep it out of the namespace of values.
pub(crate) fn expand_marker(function: &Function) -> TokenStream {
    let (vis, ident, inherited) = (&function.vis, &function.sig.ident, function.inherited());
    let doc = format!("\n\nAs a type: the reconciler `{ident}`.");
    quote! {
        #inherited
        #[doc = #doc]
        #[allow(non_camel_case_types, clippy::empty_structs_with_brackets)]
        #vis struct #ident {}
    }
}

fn expand_impl(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, object, dependencies, .. } = reconciler;
    let (krate, ident) = (&args.krate, &function.sig.ident);
    let conditions = expand_set_or_poison(reconciler);
    let reconcile = expand_reconcile(reconciler);
    let deps = expand_deps(krate, dependencies);
    let wiring = expand_wiring(reconciler);
    let requeue = expand_requeue(args);
    let (object_, deps_, pass) = (hidden("object"), hidden("deps"), hidden("pass"));
    let undo = reconciler.calls.iter().rev().map(|call| {
        let (path, here) = (&call.path, krate.at(call.path.span()));
        let step = expand_step(reconciler, call);
        quote_spanned!(path.span()=> #here::undo_by::<Self, _>(#step, #object_, #deps_, #pass).await?;)
    });
    quote! {
        #[automatically_derived]
        impl #krate::Reconciler for #ident {
            type Object = #object;
            type Deps = #deps;
            type Conditions = #conditions;
            const WIRING: #krate::Wiring = #wiring;

            fn requeue(#object_: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
                #requeue
            }

            #reconcile

            async fn cleanup(
                #object_: &Self::Object,
                #deps_: &Self::Deps,
                #pass: &mut #krate::Pass<'_>,
            ) -> #krate::Flow {
                #(#undo)*
                #krate::std::result::Result::Ok(())
            }
        }
    }
}

/// Spanned at the name: a future that is not `Send` is reported where the signature stands.
fn expand_reconcile(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, dependencies, .. } = reconciler;
    let ident = &function.sig.ident;
    let here = args.krate.at(ident.span());
    let (object, deps, pass) = (hidden("object"), hidden("deps"), hidden("pass"));
    quote_spanned! {ident.span()=>
        async fn reconcile(#object: &Self::Object, #deps: &Self::Deps, #pass: &mut #here::Pass<'_>) -> #here::Flow {
            #ident(#object, #(<Self as #here::Provides<#dependencies>>::provide(#deps),)* #pass).await
        }
    }
}

fn expand_requeue(args: &ReconcilerArgs) -> TokenStream {
    let krate = &args.krate;
    match &args.requeue {
        Requeue::Never => quote!(#krate::std::option::Option::None),
        Requeue::After(duration) => {
            let duration = expand_duration(krate, *duration);
            quote!(#krate::std::option::Option::Some(#duration))
        }
        Requeue::Field(field) => {
            let (here, object) = (krate.at(field.span()), hidden_at("object", field.span()));
            quote_spanned!(field.span()=> #here::IntoInterval::into_interval(#object.#field))
        }
    }
}

fn expand_duration(krate: &Krate, duration: std::time::Duration) -> TokenStream {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    quote!(#krate::std::time::Duration::from_millis(#millis))
}

fn expand_wiring(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, name, calls, .. } = reconciler;
    let krate = &args.krate;
    let conditions = expand_set_or_poison(reconciler);
    let steps = calls.iter().map(|call| {
        let here = krate.at(call.path.span());
        let step = expand_step(reconciler, call);
        quote_spanned!(call.path.span()=> #here::wiring_of::<#conditions, _>(#step))
    });
    let declared = expand_declared(reconciler);
    let timeout = expand_duration(krate, args.timeout);
    let (revision, managers, finalizers) = (args.revision, &args.managers, &args.finalizers);
    let (finalizer, manager) = (expand_option(krate, &args.finalizer), expand_option(krate, &args.manager));
    quote! {
        #krate::Wiring {
            name: #name,
            conditions: #declared,
            steps: &[#(#steps),*],
            timeout: #timeout,
            revision: #revision,
            finalizer: #finalizer,
            manager: #manager,
            previously: #krate::Previously { managers: &[#(#managers),*], finalizers: &[#(#finalizers),*] },
        }
    }
}

/// The declared conditions.
fn expand_declared(reconciler: &Reconciler) -> TokenStream {
    let Some(span) = reconciler.conditions.as_ref().map(Spanned::span) else { return quote!(&[]) };
    let (here, set) = (reconciler.args.krate.at(span), expand_set_or_poison(reconciler));
    quote_spanned!(span=> <#set as #here::ConditionSet>::CONDITIONS)
}

fn expand_option(krate: &Krate, value: &Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(#krate::std::option::Option::Some(#value)),
        None => quote!(#krate::std::option::Option::None),
    }
}

/// One dependency is itself, several are a tuple.
pub(crate) fn expand_deps(krate: &Krate, dependencies: &[Type]) -> TokenStream {
    let owned = dependencies.iter().map(|ty| match ty {
        Type::TraitObject(_) => quote!(#krate::std::boxed::Box<#ty>),
        _ => ty.to_token_stream(),
    });
    match dependencies.len() {
        1 => quote!(#(#owned)*),
        _ => quote!((#(#owned),*)),
    }
}

/// How each dependency is found by its type.
pub(crate) fn expand_provides(krate: &Krate, function: &Function, dependencies: &[Type]) -> TokenStream {
    let ident = &function.sig.ident;
    let deps = hidden("deps");
    let provides = dependencies.iter().enumerate().map(|(i, ty)| {
        let place = match dependencies.len() {
            1 => quote!(#deps),
            _ => {
                let index = syn::Index::from(i);
                quote!(&#deps.#index)
            }
        };
        let value = match ty {
            Type::TraitObject(_) => quote!(&**#place),
            _ => place,
        };
        quote! {
            #[automatically_derived]
            impl #krate::Provides<#ty> for #ident {
                fn provide(#deps: &<Self as #krate::Reconciler>::Deps) -> #krate::Borrowed<'_, #ty> { #value }
            }
        }
    });
    quote!(#(#provides)*)
}

/// The checks across steps, each at the token that must change. rustc shows the names of the constants.
fn expand_checks(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, conditions, function, calls, .. } = reconciler;
    let Some(span) = conditions.as_ref().map(Spanned::span) else { return TokenStream::new() };
    let (krate, ident) = (&args.krate, &function.sig.ident);
    let conditions = expand_set_or_poison(reconciler);
    let here = krate.at(span);
    let all = quote_spanned!(span=> const CONDITIONS: () = #here::check_unset::<#conditions>(STEPS););
    let each = calls.iter().enumerate().map(|(i, call)| {
        let here = krate.at(call.path.span());
        let name = quote::format_ident!("STEP_{}", i + 1);
        quote_spanned!(call.path.span()=> const #name: () = #here::check_step::<#conditions>(STEPS, #i);)
    });
    quote! {
        #[allow(dead_code)]
        const _: () = {
            const STEPS: &[#krate::StepWiring] = <#ident as #krate::Reconciler>::WIRING.steps;
            #all
            #(#each)*
        };
    }
}
