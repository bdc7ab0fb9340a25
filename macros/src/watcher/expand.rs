//! Expands a watcher to the parts of a reconciler: its arguments, its step and its cleanup.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, ReturnType, Type, Visibility};

use super::args::{Cache, Leave, WatcherArgs};
use crate::errors::Errors;
use crate::reconciler::args::{self as reconciler, ReconcilerArgs};
use crate::reconciler::impl_block;
use crate::syntax::block::{Block, Item};
use crate::syntax::context_type;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::written::written;

/// The step that calls the methods for a live object.
pub(super) const STEP: &str = "watcher";
/// Its cleanup, which calls `delete`.
const CLEANUP: &str = "watcher_delete";

/// `impl Watcher for ..`.
pub(super) fn expand_marker(krate: &Krate, ty: &impl ToTokens) -> TokenStream {
    let krate = krate.full();
    quote!(#[automatically_derived] impl #krate::Watcher for #ty {})
}

/// The arguments of the reconciler of this kind; `None`: the watcher is refused.
pub(super) fn reconciler_args(args: &WatcherArgs, kind: Option<&Type>, errors: &mut Errors) -> ReconcilerArgs {
    let krate = &args.krate;
    let mut list = args.reconciler.clone();
    if args.conditions.is_none() && !args.has_sets {
        list.push(quote!(conditions = #krate::Handled));
    }
    list.extend(args.on.triggers.clone());
    let parsed: ReconcilerArgs = reconciler::parse(quote!(#(#list),*), errors);
    let module = parsed.module.or(args.module.clone());
    ReconcilerArgs { krate: krate.clone(), watcher: Some(wiring(args, kind)), module, ..parsed }
}

/// The declarations that only a watcher has.
fn wiring(args: &WatcherArgs, kind: Option<&Type>) -> TokenStream {
    let krate = &args.krate;
    let mark = [(&args.plain, "None"), (&args.bare, "Finalizers")].into_iter().find(|(word, _)| word.is_some());
    let mark = mark.map(|(_, mark)| format_ident!("{mark}")).into_iter();
    let leave =
        args.leave.iter().filter(|(_, leave)| *leave == Leave::Delete).map(|_| quote!(leave: #krate::Leave::Delete,));
    let flag = |name: &str, is_set: bool, value: bool| {
        let name = format_ident!("{name}");
        is_set.then(|| quote!(#name: #value,))
    };
    let policy = args.policy.iter().map(|policy| {
        let policy = written(policy);
        quote!(policy: #krate::std::option::Option::Some(#policy),)
    });
    let flags = [
        flag("settled", args.settled.is_some(), true),
        flag("previous", !args.has_previous(), false),
        flag("any_version", args.on.any, true),
        flag("gives_up", args.tries.is_some() || args.policy.is_some(), true),
    ];
    let flags = flags.into_iter().flatten();
    let cache = args.cache.iter().map(|(_, cache)| match cache {
        Cache::Metadata => quote!(cache: #krate::Cache::Metadata,),
        Cache::None => {
            let decoder =
                kind.map(|kind| quote!(whole: #krate::std::option::Option::Some(#krate::decode_whole::<#kind>),));
            quote!(cache: #krate::Cache::None, #decoder)
        }
    });
    quote! {
        #krate::WatcherWiring {
            #(mark: #krate::Mark::#mark,)*
            #(#cache)*
            #(#leave)*
            #(#flags)*
            #(#policy)*
            ..#krate::WatcherWiring::DEFAULT
        }
    }
}

/// What the step and its cleanup call for each event, as expressions with `old` and `object`.
pub(super) struct Calls {
    pub(super) vis: Visibility,
    /// The kind, as the author names it.
    pub(super) object: Type,
    pub(super) output: ReturnType,
    pub(super) add: TokenStream,
    /// With the object as it was handled last.
    pub(super) update: TokenStream,
    /// Without it.
    pub(super) update_alone: TokenStream,
    pub(super) sync: TokenStream,
    pub(super) delete: TokenStream,
    /// The code of the author behind all calls but `delete`, where the context is `cx`.
    pub(super) code: TokenStream,
    /// The code behind `delete`.
    pub(super) delete_code: TokenStream,
}

/// The reconciler: `head` is the `impl` without its items, which are `items`.
pub(super) fn expand_block(
    args: &WatcherArgs,
    calls: &Calls,
    (head, docs, items): (&TokenStream, &TokenStream, &TokenStream),
    mut errors: Errors,
) -> TokenStream {
    let reconciler = reconciler_args(args, Some(&calls.object), &mut errors);
    let ours = expand_methods(args, calls, docs);
    let block = quote!(#head { #ours #items });
    let Some(mut block) = errors.take(syn::parse2::<Block>(block.clone())) else { return quote!(#block #errors) };
    for item in &mut block.items {
        let Item::Function(function) = item else { continue };
        let code = match function.sig.ident.to_string().as_str() {
            STEP => &calls.code,
            CLEANUP => &calls.delete_code,
            _ => continue,
        };
        function.called = Some(Group::new(Delimiter::Brace, code.clone()));
    }
    impl_block::expand_block(reconciler, block, errors)
}

/// The code of a function of the author with the name of the context in the generated functions.
pub(super) fn code_of(function: &Function, has_context: bool) -> TokenStream {
    match context_type::name(function).filter(|_| has_context) {
        Some(context) => renamed(function.body.stream(), context),
        None => TokenStream::new(),
    }
}

fn renamed(tokens: TokenStream, context: &Ident) -> TokenStream {
    let tokens = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == *context => TokenTree::Ident(Ident::new("cx", ident.span())),
        TokenTree::Group(group) => TokenTree::Group(Group::new(group.delimiter(), renamed(group.stream(), context))),
        other => other,
    });
    tokens.collect()
}

/// The pipeline, its step and its cleanup, as methods.
fn expand_methods(args: &WatcherArgs, calls: &Calls, docs: &TokenStream) -> TokenStream {
    let krate = &args.krate;
    let Calls { vis, object, output, delete, .. } = calls;
    let (step, cleanup) = (format_ident!("{STEP}"), format_ident!("{CLEANUP}"));
    let object = match args.has_no_status() {
        true if args.caches(Cache::None) => quote!(#krate::Bare<#krate::Metadata<#object>>),
        true => quote!(#krate::Bare<#object>),
        false => object.to_token_stream(),
    };
    let mut declared = args.step.clone();
    if args.conditions.is_none() && !args.has_sets {
        declared.push(quote!(sets(#krate::handled::Synced)));
    }
    if args.no_undo.is_none() {
        declared.push(quote!(external));
    }
    let body = expand_body(args, calls, &object);
    let ended = returned(output);
    let undo = args.no_undo.is_none().then(|| {
        quote! {
            #[#krate::cleanup(of = #step)]
            async fn #cleanup(&self, object: &#object, cx: &mut #krate::Cx) #output {
                let _ = &object;
                let ended: #ended = #delete;
                #krate::deleted(cx, ended)
            }
        }
    });
    quote! {
        #docs
        #vis async fn reconcile(&self, object: &#object, cx: &mut #krate::Pass<'_>) -> #krate::PassResult {
            self.#step(object, cx).await?;
            Ok(())
        }
        /// Calls `add`, `update` or `sync`.
        #[#krate::sub_reconciler(#(#declared),*)]
        async fn #step(&self, object: &#object, cx: &mut #krate::Cx) #output { #body }
        #undo
    }
}

/// The call for the event, and the record of how it ended.
fn expand_body(args: &WatcherArgs, calls: &Calls, object: &TokenStream) -> TokenStream {
    let krate = &args.krate;
    let Calls { object: kind, output, add, update, update_alone, sync, .. } = calls;
    let given = |value: Option<TokenStream>| match value {
        Some(value) => quote!(#krate::std::option::Option::Some(#value)),
        None => quote!(#krate::std::option::Option::None),
    };
    let tries = given(args.tries.as_ref().map(ToTokens::to_token_stream));
    let ended = returned(output);
    let name = format_ident!("policy");
    let policy = given(args.policy.as_ref().map(|_| name.to_token_stream()));
    let typed_policy = args.policy.iter().map(|policy| expand_policy(krate, &name, policy, output));
    let whole = args.caches(Cache::None).then(|| {
        quote! {
            let _ = &object;
            let #krate::std::option::Option::Some(whole) = #krate::whole::<#kind, _>(cx) else {
                return #krate::std::result::Result::Ok(());
            };
        }
    });
    quote! {
        #(#typed_policy)*
        #whole
        let ended: #ended = match #krate::call::<#object, _>(cx) {
            #krate::Call::Add => #add,
            #krate::Call::Update(old) => { let _ = &old; #update }
            #krate::Call::UpdateAlone => #update_alone,
            #krate::Call::Sync => #sync,
        };
        #krate::called(cx, ended, #policy, #tries)
    }
}

/// The type of a call. It is named, so that rustc reports another one at its method.
fn returned(output: &ReturnType) -> TokenStream {
    match output {
        ReturnType::Type(_, ty) => ty.to_token_stream(),
        ReturnType::Default => quote!(()),
    }
}

/// The policy as a function pointer: rustc then compares the whole signature and reports one error. The name is that of its use: the path may be
/// an argument of a macro, with another hygiene.
fn expand_policy(krate: &Krate, name: &Ident, policy: &Path, output: &ReturnType) -> TokenStream {
    let (here, output) = (krate.at(policy.span()), returned(output));
    quote_spanned! {policy.span()=>
        let #name: #here::RetryPolicy<<#output as #here::StepOutput>::Error> = #policy;
    }
}
