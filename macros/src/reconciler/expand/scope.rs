//! The names that a block of a reconciler has for its pipeline and its condition set.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;

use crate::reconciler::model::Reconciler;

/// The pub(super) constant that holds the types of the pipeline.
pub(super) const PIPELINE: &str = "RUN";

/// The condition set. That it is one is asked here only, in words that are the same everywhere, so that rustc says them once; in a constant,
/// so that nothing follows from it.
pub(super) fn expand_set(reconciler: &Reconciler) -> TokenStream {
    let set = &reconciler.conditions;
    let here = reconciler.args.krate.at(set.span());
    quote_spanned!(set.span()=> <#set as #here::Set<{ #here::is_set::<#set>() }>>::Set)
}

/// The condition set under its short name in the block. All of its span is the author's: what rustc says of a wrong one it says in the
/// same words everywhere, and so once.
pub(super) fn expand_short_set(reconciler: &Reconciler) -> Ident {
    Ident::new("__Set", reconciler.conditions.span())
}
