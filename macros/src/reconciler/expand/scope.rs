//! The names of the pipeline and the condition set in the generated block of a reconciler.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::reconciler::model::Reconciler;

/// The name of the constant that holds the types of the pipeline.
pub(super) const PIPELINE: &str = "RUN";

/// The condition set. The check that it is one exists only here, in the same words everywhere, so that rustc reports it once. It is in
/// a constant, so that no further error follows.
pub(super) fn expand_set(reconciler: &Reconciler) -> TokenStream {
    let set = &reconciler.conditions;
    let here = reconciler.args.krate.at(set.span());
    quote_spanned!(set.span()=> <#set as #here::Set<{ #here::is_set::<#set>() }>>::Set)
}

/// The condition set under its short name in the block. Its whole span is the author's: rustc then reports a wrong set in the same words
/// everywhere, and therefore once.
pub(super) fn expand_short_set(reconciler: &Reconciler) -> Ident {
    Ident::new("__Set", reconciler.conditions.span())
}
