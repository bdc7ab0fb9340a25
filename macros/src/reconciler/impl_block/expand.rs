//! Expands the struct form: the `impl` with its methods, the module of markers, and the impls that make the struct a reconciler.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::members::{Members, take_attribute};
use crate::reconciler::args::ReconcilerArgs;
use crate::reconciler::model::{Draft, Reconciler};
use crate::reconciler::{expand, fallback};
use crate::sub_reconciler::stray;
use crate::syntax::args::arguments;
use crate::syntax::block::{Block, Item};

/// Expands a block with a pipeline, valid or not.
pub(super) fn expand(block: &Block, members: &Members, read: &Result<Reconciler, Box<Draft>>) -> TokenStream {
    let (pipeline, entry) = match read {
        Ok(reconciler) => (expand::expand_function(reconciler), expand::expand_entry(reconciler)),
        Err(draft) => {
            let ty = draft.function.subject();
            let object = draft.object.as_ref().or(members.object.as_ref());
            let entry = fallback::expand_entry(&draft.args, &ty, &quote!(Self), object);
            (fallback::expand_function(draft), entry)
        }
    };
    expand_block(block, members, &pipeline, &entry)
}

/// Expands a block without a pipeline.
pub(super) fn expand_without(block: &Block, members: &Members, args: &ReconcilerArgs) -> TokenStream {
    let ty = &members.home.ty;
    let entry = fallback::expand_entry(args, &quote!(#ty), &quote!(Self), members.object.as_ref());
    expand_block(block, members, &TokenStream::new(), &entry)
}

/// Expands an `impl` that cannot be a reconciler: its methods can be called, but do nothing.
pub(crate) fn expand_refused(args: &ReconcilerArgs, block: Block) -> TokenStream {
    let Block { attrs, inner, token, generics, self_ty, items, .. } = block;
    let (params, _, bounds) = generics.split_for_impl();
    let krate = &args.krate;
    let items = items.into_iter().map(|item| match item {
        Item::Function(mut function) => match take_attribute(&mut function) {
            Some(attr) => stray(arguments(&attr), krate.clone(), &function),
            None if function.sig.ident == "reconcile" => stray(TokenStream::new(), krate.clone(), &function),
            None => function.to_token_stream(),
        },
        Item::Other(tokens) => tokens,
    });
    let held = quote!(Self: #krate::std::marker::Send + #krate::std::marker::Sync + 'static,);
    let predicates = generics.where_clause.iter().map(|clause| clause.predicates.to_token_stream());
    let head = quote!(#params #krate::Reconciler for #self_ty where #held #(#predicates)*);
    let entry = fallback::expand_poison(args, &head, &quote!(Self), None);
    quote! {
        #entry
        #(#attrs)*
        #[allow(unused)]
        #token #params #self_ty #bounds {
            #(#inner)*
            #(#items)*
        }
    }
}

fn expand_block(block: &Block, members: &Members, pipeline: &TokenStream, entry: &TokenStream) -> TokenStream {
    let Block { attrs, inner, token, self_ty, .. } = block;
    let Members { home, parts, others, attributes, .. } = members;
    let (vis, module) = (&home.outer, &home.module);
    let doc = format!("The steps and cleanups of `{}` as types.", home.name);
    let (functions, markers, impls) =
        (parts.iter().map(|p| &p.function), parts.iter().map(|p| &p.marker), parts.iter().map(|p| &p.impls));
    quote! {
        #(#attrs)*
        #token #self_ty {
            #(#inner)*
            #pipeline
            #(#functions)*
            #(#others)*
        }
        #[doc = #doc]
        #[allow(non_snake_case)]
        #vis mod #module { #(#markers)* }
        #(#impls)*
        #entry
        const _: () = { #(#[allow(unused_imports)] use #attributes as _;)* };
    }
}
