//! Checks of the `impl` of a reconciler.

use quote::ToTokens;
use syn::{Attribute, GenericParam};

use crate::errors::Errors;
use crate::syntax::block::Block;
use crate::syntax::function::Function;

/// The `impl` must be an inherent one of a concrete type.
pub(super) fn check_block(block: &Block, errors: &mut Errors) -> bool {
    let before = errors.count();
    if let Some(of_trait) = &block.of_trait {
        let ty = block.self_ty.to_token_stream();
        let help = format!("write `impl {ty} {{ .. }}`: the macro implements the trait");
        errors.push(of_trait, "`#[reconciler]` belongs on an `impl` without a trait", help);
    }
    for param in &block.generics.params {
        let ident = match param {
            GenericParam::Lifetime(param) => &param.lifetime.ident,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        let help = "use a concrete type, or a field of `Box<dyn Trait>`";
        errors.push(param, format_args!("a reconciler cannot be generic over `{ident}`"), help);
    }
    errors.count() == before
}

/// The pipeline must be the method `reconcile`.
pub(super) fn check_reconcile(block: &Block, errors: &mut Errors) {
    let ty = &block.self_ty;
    let headline = format!("the reconciler `{}` has no `reconcile`", ty.to_token_stream());
    let help = "add `pub async fn reconcile(&self, object: &K, cx: &mut Pass<'_>) -> PassResult { .. }`";
    errors.push(ty, headline, help);
}

/// A step must not be under `#[cfg]`: without it no step would set its conditions.
pub(super) fn check_cfg(what: &str, function: &Function, errors: &mut Errors) {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr");
    if let Some(cfg) = function.attrs.iter().find(is_cfg) {
        let headline = format!("{what} `{}` is not allowed under `#[cfg(..)]`", function.sig.ident);
        errors.push(cfg, headline, "put the `#[cfg(..)]` into its body");
    }
}
