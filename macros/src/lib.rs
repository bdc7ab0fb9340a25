//! The attribute macros of evenkeel.

#![forbid(unsafe_code)]

mod cleanup;
mod condition_set;
mod errors;
mod reconcile_error;
mod reconciler;
mod status;
mod sub_reconciler;
mod syntax;

use proc_macro::TokenStream;

/// The conditions of a reconciler: one variant each.
#[proc_macro_derive(ConditionSet, attributes(condition_set, condition))]
pub fn condition_set(item: TokenStream) -> TokenStream {
    condition_set::derive(item.into()).into()
}

/// A class for each variant of an error.
#[proc_macro_derive(ReconcileError, attributes(reconcile_error, class))]
pub fn reconcile_error(item: TokenStream) -> TokenStream {
    reconcile_error::derive(item.into()).into()
}

/// Adds the fields that the framework keeps to a status.
#[proc_macro_attribute]
pub fn status(args: TokenStream, item: TokenStream) -> TokenStream {
    status::attribute(args.into(), &item.into()).into()
}

/// Makes a function a step.
#[proc_macro_attribute]
pub fn sub_reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    sub_reconciler::attribute(args.into(), &item.into()).into()
}

/// Undoes an external step.
#[proc_macro_attribute]
pub fn cleanup(args: TokenStream, item: TokenStream) -> TokenStream {
    cleanup::attribute(args.into(), &item.into()).into()
}

/// Makes a function a reconciler.
#[proc_macro_attribute]
pub fn reconciler(args: TokenStream, item: TokenStream) -> TokenStream {
    reconciler::attribute(args.into(), &item.into()).into()
}
