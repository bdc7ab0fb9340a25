//! `#[reconciler]` on an `impl`: a struct that holds the dependencies of its steps.

mod check;
pub(crate) mod expand;
pub(crate) mod members;

use proc_macro2::TokenStream;
use quote::quote;

use super::args::ReconcilerArgs;
use super::model;
use crate::errors::Errors;
use crate::syntax::block::Block;

/// Expands the attribute. An error in one method does not affect the others.
pub(super) fn expand(args: ReconcilerArgs, item: &TokenStream, mut errors: Errors) -> TokenStream {
    match errors.take(syn::parse2::<Block>(item.clone())) {
        Some(block) => expand_block(args, block, errors),
        None => quote!(#item #errors),
    }
}

/// Expands a parsed `impl`.
pub(crate) fn expand_block(args: ReconcilerArgs, mut block: Block, mut errors: Errors) -> TokenStream {
    let home = members::home(&args, &block);
    if !check::check_block(&block, &mut errors) {
        let expansion = expand::expand_refused(&args, block);
        return quote!(#expansion #errors);
    }
    let mut members = members::read(&args.krate, &mut block, &home, &mut errors);
    let expansion = match members.reconcile.take() {
        Some(function) => {
            let observe = args.observe.or(members.observer.take());
            let claim = args.claim.or(members.claim.take());
            let hooks = args.hooks.into_iter().chain(std::mem::take(&mut members.hooks)).collect();
            let daemons = args.daemons.into_iter().chain(std::mem::take(&mut members.daemons)).collect();
            let args = ReconcilerArgs { observe, claim, hooks, daemons, ..args };
            let mut draft = model::read(args, function, &mut errors);
            draft.sound &= members.callable;
            expand::expand(&block, &members, &draft.finish())
        }
        None => {
            check::check_reconcile(&block, &mut errors);
            expand::expand_without(&block, &members, &args)
        }
    };
    quote!(#expansion #errors)
}
