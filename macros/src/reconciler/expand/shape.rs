//! Prints the shape of a pipeline, for its graph.

use proc_macro2::TokenStream;
use quote::quote;

use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::Statement;

/// `&[Node::Call(0), ..]`.
pub(super) fn expand_shape(reconciler: &Reconciler) -> TokenStream {
    let krate = &reconciler.args.krate;
    let nodes = reconciler.pipeline.statements.iter().enumerate().map(|(i, statement)| match statement {
        Statement::Call(_) => quote!(#krate::Node::Call(#i)),
    });
    quote!(&[#(#nodes),*])
}
