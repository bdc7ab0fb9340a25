//! Expands the shape of a pipeline, for its graph.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Pat, PatGuard};

use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::{Arm, Branch, Head, Pipeline, Statement, step_name};
use crate::syntax::written::written;

/// The nodes, as `&[Node::Call(0), ..]`. `None` for a plain sequence of steps, which is the default.
pub(super) fn expand_shape(reconciler: &Reconciler) -> Option<TokenStream> {
    let Pipeline { statements } = &reconciler.pipeline;
    let steps = || statements.iter().filter(|statement| !matches!(statement, Statement::Log(_)));
    let places = steps().map(|statement| match statement {
        Statement::Call(call) => Some(reconciler.pipeline.place(&call.name())),
        _ => None,
    });
    let is_straight = places.eq((0..steps().count()).map(Some));
    (!is_straight).then(|| expand_nodes(reconciler, statements))
}

fn expand_nodes(reconciler: &Reconciler, statements: &[Statement]) -> TokenStream {
    let nodes = statements.iter().filter_map(|statement| expand_node(reconciler, statement));
    quote!(&[#(#nodes),*])
}

fn expand_node(reconciler: &Reconciler, statement: &Statement) -> Option<TokenStream> {
    let (krate, pipeline) = (&reconciler.args.krate, &reconciler.pipeline);
    match statement {
        Statement::Call(call) => {
            let place = pipeline.place(&call.name());
            Some(quote!(#krate::Node::Call(#place)))
        }
        Statement::Join(join) => {
            let places = join.calls.iter().map(|call| pipeline.place(&call.name()));
            Some(quote!(#krate::Node::Join(&[#(#places),*])))
        }
        Statement::Each(each) => {
            let (place, over) = (pipeline.place(&each.call.name()), written(&each.items));
            Some(quote!(#krate::Node::Loop { step: #place, over: #over }))
        }
        Statement::Skip(skip) => {
            let (place, reason) = (pipeline.place(&step_name(&skip.step)), &skip.reason);
            Some(quote!(#krate::Node::Skip { step: #place, reason: #reason }))
        }
        Statement::Branch(branch) => {
            let arms = branch.arms.iter().map(|arm| expand_arm(reconciler, branch, arm));
            Some(quote!(#krate::Node::Branch(&[#(#arms),*])))
        }
        Statement::Log(_) | Statement::Value(_) => None,
    }
}

fn expand_arm(reconciler: &Reconciler, branch: &Branch, arm: &Arm) -> TokenStream {
    let krate = &reconciler.args.krate;
    let value = branch.on.iter().map(|(_, value)| value);
    let when = match &arm.head {
        Head::If(.., condition) => written(condition),
        Head::Case(Pat::Wild(_)) | Head::Else(_) => String::new(),
        Head::Case(Pat::Guard(PatGuard { pat, guard, .. })) => written(&quote!(let #pat #(= #value)* && #guard)),
        Head::Case(pattern) => written(&quote!(let #pattern #(= #value)*)),
    };
    let nodes = expand_nodes(reconciler, &arm.statements);
    quote!(#krate::Arm { when: #when, nodes: #nodes })
}
