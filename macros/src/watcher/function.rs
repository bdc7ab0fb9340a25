//! The form on a function that takes an `Event`: a struct with the name of the function holds its dependencies and calls it.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{GenericArgument, PathArguments, ReturnType, Type};

use super::args::{Cache, WatcherArgs};
use super::expand::{self, Calls, STEP};
use crate::errors::Errors;
use crate::reconciler::impl_block::expand::expand_refused;
use crate::syntax::context_type::{fill_in, is_context, mend};
use crate::syntax::function::{Function, behind};
use crate::syntax::signature::{check_generics, check_plain};

/// What the signature declares.
struct Signature {
    object: Type,
    dependencies: Vec<Type>,
    has_context: bool,
}

pub(super) fn expand(args: WatcherArgs, mut function: Function, mut errors: Errors) -> TokenStream {
    let signature = read(&args, &mut function, &mut errors);
    let (krate, name) = (args.krate.clone(), function.sig.ident.clone());
    let module = args.module.clone().unwrap_or_else(|| format_ident!("{name}_watcher"));
    let step = format_ident!("{STEP}");
    let watcher = expand::expand_marker(&krate, &name);
    match signature {
        Some(signature) if errors.count() == 0 => {
            fill_in(&mut function, &quote!(#module::#step));
            super::methods::hold_to_reasons(&args, &mut function, &mut errors);
            let (marker, calls) = (expand_struct(&args, &function, &signature), calls(&args, &function, &signature));
            let docs = function.attrs.iter().filter(|attr| attr.path().is_ident("doc"));
            let (head, docs) = (quote!(impl #name), quote!(#(#docs)*));
            let args = WatcherArgs { module: Some(module), ..args };
            let expansion = expand::expand_block(&args, &calls, (&head, &docs, &TokenStream::new()), errors);
            quote!(#function #marker #expansion #watcher)
        }
        _ => {
            fill_in(&mut function, &quote!(#krate::ErrorPlaceholder));
            let marker = expand_struct(
                &args,
                &function,
                &Signature {
                    object: syn::parse_quote!(#krate::ErrorPlaceholder),
                    dependencies: Vec::new(),
                    has_context: true,
                },
            );
            let args = expand::reconciler_args(&args, None, &mut Errors::default());
            let block = syn::parse2(quote!(impl #name {}));
            let refused = block.map(|block| expand_refused(&args, block)).unwrap_or_default();
            quote!(#[allow(dead_code)] #function #marker #refused #watcher #errors)
        }
    }
}

fn read(args: &WatcherArgs, function: &mut Function, errors: &mut Errors) -> Option<Signature> {
    let (name, before) = (function.sig.ident.clone(), errors.count());
    let what = format!("watcher `{name}`");
    check_plain(&what, &function.sig, errors);
    check_generics(&what, &function.sig, errors);
    if matches!(function.sig.output, ReturnType::Default) {
        let help = "write `-> Result<(), E>`, where `E` derives `ReconcileError`";
        errors.push(&name, format_args!("{what} must return a `Result`"), help);
    }
    let no_cache = args.cache.as_ref().filter(|(_, cache)| *cache == Cache::None && args.has_no_status());
    let no_cache = no_cache.map(|(key, _)| key);
    if let Some(key) = args.no_previous.as_ref().or(no_cache) {
        let help = "leave it out, or write the watcher as an `impl` with methods";
        errors.push(key, "an `Event` contains the object as it was handled last", help);
    }
    let is_cx = function.params().last().is_some_and(|last| is_context(&last.ty, "Cx"));
    let has_context = is_cx || function.params().len() > 1 && mend(function);
    let params = function.params();
    let event = params.first().and_then(|first| kind(&first.ty));
    let Some(object) = event else {
        let help = "write `event: Event<'_, K>` first; the other form is an `impl` with `add`, `update` and `delete`";
        match params.first() {
            Some(first) => errors.push(&first.ty, format_args!("{what} takes an `Event`"), help),
            None => errors.push(&name, format_args!("{what} takes an `Event`"), help),
        }
        return None;
    };
    if no_cache.is_none() {
        super::methods::check_form(args, &object, errors);
    }
    let inner = &params[1..params.len() - usize::from(has_context)];
    let dependencies = inner.iter().filter_map(|param| match behind(&param.ty) {
        Some(reference) if reference.mutability.is_none() => Some((*reference.elem).clone()),
        _ => {
            let help = format!("write `&{}`", param.ty.to_token_stream().to_string().replace(' ', ""));
            errors.push(&param.ty, format_args!("{what} borrows its dependencies"), help);
            None
        }
    });
    let dependencies = dependencies.collect();
    (errors.count() == before).then_some(Signature { object, dependencies, has_context })
}

/// The kind of `Event<'_, K>`.
fn kind(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Event")?;
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

/// The struct that holds the dependencies, and how it is made from them.
fn expand_struct(args: &WatcherArgs, function: &Function, signature: &Signature) -> TokenStream {
    let (krate, name, vis) = (&args.krate, &function.sig.ident, &function.vis);
    let dependencies = &signature.dependencies;
    let attrs = function.inherited_as(&format!("the watcher `{name}`."));
    let given = match dependencies.as_slice() {
        [one] => quote!(#one),
        several => quote!((#(#several),*)),
    };
    let fields = (0..dependencies.len()).map(syn::Index::from);
    let taken = match dependencies.len() {
        1 => quote!((deps,)),
        _ => quote!((#(deps.#fields,)*)),
    };
    quote! {
        #attrs
        #[allow(non_camel_case_types)]
        #vis struct #name { deps: (#(#dependencies,)*) }
        #[automatically_derived]
        impl #krate::std::convert::From<#given> for #name {
            #[allow(unused_variables, clippy::unused_unit)]
            fn from(deps: #given) -> Self {
                Self { deps: #taken }
            }
        }
    }
}

/// The calls of the function for each event.
fn calls(args: &WatcherArgs, function: &Function, signature: &Signature) -> Calls {
    let (krate, name) = (&args.krate, &function.sig.ident);
    let Signature { object, dependencies, has_context } = signature;
    let deps = (0..dependencies.len()).map(syn::Index::from);
    let deps: Vec<TokenStream> = deps.map(|at| quote!(&self.deps.#at,)).collect();
    let context: Option<Ident> = has_context.then(|| format_ident!("cx"));
    let call = |event: TokenStream| {
        let context = context.iter();
        quote!(#name(#krate::Event::#event, #(#deps)* #(#context)*).await)
    };
    let (now, old) = match args.has_no_status() {
        true => (quote!(&**object), quote!(&**old)),
        false => (quote!(object), quote!(&*old)),
    };
    Calls {
        vis: function.vis.clone(),
        object: object.clone(),
        output: function.sig.output.clone(),
        add: call(quote!(Added(#now))),
        update: call(quote!(Updated { old: #old, now: #now })),
        update_alone: call(quote!(Synced(#now))),
        sync: call(quote!(Synced(#now))),
        delete: call(quote!(Deleted(#now))),
        code: expand::code_of(function, *has_context),
        delete_code: expand::code_of(function, *has_context),
    }
}
