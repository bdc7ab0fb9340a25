//! What the readers of statements share.

use proc_macro2::Ident;
use syn::Expr;

use super::call::Written;
use super::errors::{self, Place};
use super::statement::Call;
use crate::errors::Errors;

/// Reads statements: what is handed to every step, and where mistakes go.
pub(super) struct Reader<'a> {
    pub(super) object: &'a Ident,
    pub(super) context: &'a Ident,
    pub(super) errors: &'a mut Errors,
}

impl Reader<'_> {
    /// The call, if it is right.
    pub(super) fn call(&mut self, call: Written<'_>) -> Option<Call> {
        let call = call.read(self.object, self.context, self.errors)?;
        call.inputs.iter().for_each(|input| self.expr(input, Place::Input));
        Some(call)
    }

    /// Refuses what an ordinary expression at this place cannot do.
    pub(super) fn expr(&mut self, expr: &Expr, place: Place) {
        errors::expr(expr, place, self.context, self.errors);
    }
}
