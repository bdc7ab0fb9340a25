//! Prints the statements of a pipeline.

use proc_macro2::TokenStream;

use super::call::expand_call;
use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::Statement;

pub(super) fn expand_statement(reconciler: &Reconciler, statement: &Statement) -> TokenStream {
    match statement {
        Statement::Call(call) => expand_call(reconciler, call),
    }
}
