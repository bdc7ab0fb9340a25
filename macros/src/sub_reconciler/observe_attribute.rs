//! `#[observe]`: a function that runs instead of the steps when the policy of an object forbids changes.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use super::args::{self, StepArgs};
use super::model::{self, Step};
use super::parts::Parts;
use super::uses::Use;
use super::{expand, fallback};
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::handler::Link;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;
use crate::syntax::marker::Marker;
use crate::syntax::signature::{parse_dependencies, parse_function};

/// Expands the attribute. On errors the function is retained and counts as an observer.
pub(crate) fn attribute(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = args::parse(args, Krate::DEFAULT, &mut errors);
    let Some(function) = parse_function("observe", item, &mut errors) else {
        return quote!(#item #errors);
    };
    let Parts { function, marker, impls } = parts(args, function, &mut errors);
    quote!(#function #marker #impls #errors)
}

/// Expands the attribute on a method of a reconciler struct.
pub(crate) fn method(args: TokenStream, krate: Krate, function: Function, errors: &mut Errors) -> Parts {
    let mut found = Errors::default();
    let args = args::parse(args, krate, &mut found);
    let parts = parts(args, function, &mut found);
    errors.append(found);
    parts
}

fn parts(args: StepArgs, function: Function, errors: &mut Errors) -> Parts {
    check_harmless("an observer", &args, errors);
    let draft = model::read(args, function, errors);
    let dependencies = match draft.callable {
        true => dependencies(&draft.function, errors),
        false => Vec::new(),
    };
    match draft.finish(errors) {
        Ok(step) => {
            let link = expand_link(&step, &dependencies);
            let Parts { function, marker, impls } = expand::expand(&step);
            Parts { function, marker, impls: quote!(#impls #link) }
        }
        Err(draft) => {
            let link = match draft.function.home.is_none() && draft.function.sig.receiver().is_some() {
                true => TokenStream::new(),
                false => expand_poison(&draft.args.krate, &draft.marker, draft.object.as_ref()),
            };
            let Parts { function, marker, impls } = fallback::expand(&draft, errors);
            Parts { function, marker, impls: quote!(#impls #link) }
        }
    }
}

/// Rejects arguments that change something.
pub(super) fn check_harmless(what: &str, args: &StepArgs, errors: &mut Errors) {
    if let Some(external) = &args.external {
        errors.push(external, format_args!("{what} must not create anything outside the cluster"), "drop `external`");
    }
    if let Some(call) = args.uses.iter().find_map(Use::acts) {
        let help = "declare calls that read, such as `get` and `list`";
        errors.push(call, format_args!("{what} cannot send a call that changes something"), help);
    }
    if let Some(keeps) = &args.keeps {
        let help = "drop `dependents(..)`, or move it to a `#[sub_reconciler]`";
        errors.push(&keeps.key, format_args!("{what} cannot keep dependents"), help);
    }
    for (word, first, help) in [
        (
            "own",
            args.owns.first().map(|own| &own.kind),
            "drop `owns(..)`; an observer can use `reads(..)` and `watches(..)`",
        ),
        ("clear", args.clears.first(), "name the condition in `sets(..)`"),
        ("act on", args.actions.first(), "drop `actions(..)`: only a step of the pipeline can act"),
    ] {
        if let Some(first) = first {
            let name = first.to_token_stream().to_string().replace(' ', "");
            errors.push(first, format_args!("{what} cannot {word} `{name}`"), help);
        }
    }
}

/// The parameters between object and context. A method takes its dependencies from its struct.
fn dependencies(function: &Function, errors: &mut Errors) -> Vec<Type> {
    let what = format!("observer `{}`", function.sig.ident);
    let found = parse_dependencies(&what, function, errors);
    if let (Some(home), Some(param), false) = (&function.home, function.params().get(1), found.is_empty()) {
        let help = format!("make it a field of `{}`", home.name);
        errors.push(param, "an observer of a struct takes the object and the context only", help);
    }
    found
}

/// The impl by which a reconciler runs it: any reconciler with the dependencies of a function, or the struct of a method.
fn expand_link(step: &Step, dependencies: &[Type]) -> TokenStream {
    let Step { args, function, marker, object, .. } = step;
    let krate = args.krate.full();
    let (object_, deps, cx) = (hidden("object"), hidden("deps"), hidden("cx"));
    let Link { more, reconciler, asked, called } = Link::of(function, &krate, object, dependencies, Some(&cx));
    let (params, bounds) = marker.params(more.as_ref(), &asked);
    quote! {
        #[automatically_derived]
        impl #params #krate::Observe<#reconciler> for #marker #bounds {
            async fn observe(
                #object_: &#object,
                #deps: &<#reconciler as #krate::Reconciler>::Deps,
                #cx: &mut #krate::Cx<'_, Self>,
            ) -> #krate::std::result::Result<(), <Self as #krate::SubReconciler>::Error> {
                #called.await
            }
        }
    }
}

/// The impl of an invalid one: it does nothing, for every reconciler.
fn expand_poison(krate: &Krate, marker: &Marker, object: Option<&Type>) -> TokenStream {
    let any = hidden("R");
    let object = object.map_or_else(|| quote!(#krate::ErrorPlaceholder), ToTokens::to_token_stream);
    let (params, bounds) = marker.params(Some(&any), &quote!(#any: #krate::Reconciler<Object = #object>,));
    quote! {
        impl #params #krate::Observe<#any> for #marker #bounds {
            async fn observe(
                _: &#object,
                _: &<#any as #krate::Reconciler>::Deps,
                _: &mut #krate::Cx<'_, Self>,
            ) -> #krate::std::result::Result<(), <Self as #krate::SubReconciler>::Error> {
                #krate::std::result::Result::Ok(())
            }
        }
    }
}
