//! Expands a reconciler: the pipeline with its bookkeeping, the `Reconciler` impl, and the checks across steps.

mod bare_status;
mod call;
mod dependency;
mod join;
mod scope;
mod shape;
mod statement;
mod time;
mod value;
mod wiring;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use self::call::expand_step;
use self::dependency::expand_body;
pub(crate) use self::dependency::{expand_deps, expand_provides};
use self::scope::{PIPELINE, expand_set, expand_short_set};
use self::statement::expand_statement;
use self::time::expand_times;
use self::wiring::{expand_checks, expand_wiring};
use super::args::ReconcilerArgs;
use super::depend::Dependencies;
use super::model::Reconciler;
use crate::syntax::function::Function;
use crate::syntax::hidden::{hidden, hidden_at};

pub(crate) fn expand(reconciler: &Reconciler) -> TokenStream {
    let function = expand_function(reconciler);
    let marker = expand_marker(&reconciler.function);
    let entry = expand_entry(reconciler);
    quote!(#function #marker #entry)
}

/// The impl that makes the function's type or the struct a reconciler.
pub(crate) fn expand_entry(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, object, dependencies, .. } = reconciler;
    let (krate, pipeline) = (&args.krate, hidden(PIPELINE));
    let (import, set) = (krate.import(), expand_short_set(reconciler));
    let conditions = expand_set(reconciler);
    let (implementation, checks) = (expand_impl(reconciler), expand_checks(reconciler));
    let provides = expand_provides(&args.krate, function, dependencies);
    quote! {
        #[allow(dead_code)]
        const _: () = {
            #import
            type #set = #conditions;
            const #pipeline: #krate::Pipeline<#object, #set> = #krate::pipeline();
            #implementation
            #provides
            #checks
        };
    }
}

/// The author's function. Each step in it begins, runs and ends in its own context.
pub(crate) fn expand_function(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, object, pipeline, .. } = reconciler;
    let (krate, Function { attrs, vis, sig, body, .. }) = (&args.krate, function);
    let (import, pipeline_) = (krate.import(), hidden("run"));
    let set = expand_set(reconciler);
    let statements = pipeline.statements.iter().map(|statement| expand_statement(reconciler, statement));
    let mut block = proc_macro2::Group::new(
        body.delimiter(),
        quote! {
            #import
            let #pipeline_ = #krate::pipeline::<#object, #set>();
            #(#statements)*
            #krate::std::result::Result::Ok(())
        },
    );
    block.set_span(body.span());
    quote!(#(#attrs)* #vis #sig #block)
}

/// The type with the name of the function. Its braces exclude it from the value namespace.
pub(crate) fn expand_marker(function: &Function) -> TokenStream {
    let (vis, ident) = (&function.vis, &function.sig.ident);
    let attrs = function.inherited_as(&format!("the reconciler `{ident}`."));
    quote! {
        #attrs
        #[allow(non_camel_case_types, clippy::empty_structs_with_brackets)]
        #vis struct #ident {}
    }
}

fn expand_impl(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, dependencies, .. } = reconciler;
    let object = expand_object(reconciler);
    let (krate, subject) = (&args.krate, function.subject());
    let conditions = expand_short_set(reconciler);
    let reconcile = expand_reconcile(reconciler);
    let deps = expand_deps(krate, function, dependencies);
    let wiring = expand_wiring(reconciler);
    let times = expand_times(args);
    let (suspended, depends_on, after) = (expand_suspended(args), expand_depends_on(args), expand_after(args));
    let filter = expand_filter(args);
    quote! {
        #[automatically_derived]
        impl #krate::Reconciler for #subject {
            type Object = #object;
            type Deps = #deps;
            type Conditions = #conditions;
            const WIRING: #krate::Wiring = #wiring;

            #times

            #suspended

            #depends_on

            #filter

            #after

            #reconcile
        }
    }
}

/// The kind of the object, taken from the first step. If it cannot be reconciled, the steps report it, and no second error follows here.
fn expand_object(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, object, pipeline, .. } = reconciler;
    let Some(first) = pipeline.calls().into_iter().next() else { return object.to_token_stream() };
    let here = args.krate.at(object.span());
    let step = expand_step(reconciler, &first.callee, PIPELINE);
    quote_spanned!(object.span()=> <#object as #here::KindOf<{ #here::known(#step) }>>::Kind)
}

fn expand_reconcile(reconciler: &Reconciler) -> TokenStream {
    let Reconciler { args, function, dependencies, .. } = reconciler;
    let span = function.sig.ident.span();
    let (here, body) = (args.krate.at(span), expand_body(&args.krate, function, dependencies));
    let (object, deps, pass) = (hidden("object"), hidden("deps"), hidden("pass"));
    quote_spanned! {span=>
        async fn reconcile(#object: &Self::Object, #deps: &Self::Deps, #pass: &mut #here::Pass<'_>) -> #here::PassResult {
            #body
        }
    }
}

fn expand_suspended(args: &ReconcilerArgs) -> TokenStream {
    let Some(field) = args.suspend.as_ref().and_then(|suspend| suspend.field.as_ref()) else {
        return TokenStream::new();
    };
    let (here, object) = (args.krate.at(field.span()), hidden_at("object", field.span()));
    quote_spanned! {field.span()=>
        fn is_suspended(#object: &Self::Object) -> #here::std::primitive::bool {
            #here::IsSuspended::is_suspended(&#object.#field)
        }
    }
}

/// The check that it lists references has the author's span.
fn expand_depends_on(args: &ReconcilerArgs) -> TokenStream {
    let (span, list) = match &args.depends_on {
        None => return TokenStream::new(),
        Some(Dependencies::Field(field)) => {
            let (here, object) = (args.krate.at(field.span()), hidden_at("object", field.span()));
            let list = quote_spanned!(field.span()=> #here::References::references(&#object.#field));
            (field.span(), quote_spanned!(field.span()=> #here::std::borrow::Cow::Borrowed(#list)))
        }
        Some(Dependencies::Function(path)) => {
            let (here, object) = (args.krate.at(path.span()), hidden_at("object", path.span()));
            let list = quote_spanned!(path.span()=> #here::References::into_references(#path(#object)));
            (path.span(), quote_spanned!(path.span()=> #here::std::borrow::Cow::Owned(#list)))
        }
    };
    let (here, object) = (args.krate.at(span), hidden_at("object", span));
    quote_spanned! {span=>
        fn depends_on(#object: &Self::Object) -> #here::std::borrow::Cow<'_, [#here::Reference]> {
            #list
        }
    }
}

/// The filter as a function pointer: rustc then compares the whole signature and reports one error.
fn expand_filter(args: &ReconcilerArgs) -> TokenStream {
    let Some(path) = &args.filter else { return TokenStream::new() };
    let (here, object) = (args.krate.at(path.span()), hidden_at("object", path.span()));
    quote_spanned! {path.span()=>
        fn filter(#object: &Self::Object) -> #here::std::primitive::bool {
            let filter: fn(&Self::Object) -> #here::std::primitive::bool = #path;
            filter(#object)
        }
    }
}

/// The hook as a function pointer: rustc then compares the whole signature and reports one error.
fn expand_after(args: &ReconcilerArgs) -> TokenStream {
    let Some(path) = &args.on_end else { return TokenStream::new() };
    let (here, name) = (args.krate.at(path.span()), path.to_token_stream().to_string().replace(' ', ""));
    quote_spanned! {path.span()=>
        fn after() -> #here::std::option::Option<#here::Hook<Self::Object>> {
            #here::std::option::Option::Some(#here::Hook { name: #name, run: #path })
        }
    }
}
