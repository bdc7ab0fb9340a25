//! The state that the statement parsers share.

use proc_macro2::Ident;
use syn::Expr;

use super::call::Written;
use super::errors::{self, Place};
use super::statement::Call;
use crate::errors::Errors;

/// The state of the statement parsers: the arguments of every step, and the collector of errors.
pub(super) struct Reader<'a> {
    pub(super) object: &'a Ident,
    pub(super) context: &'a Ident,
    pub(super) errors: &'a mut Errors,
}

impl Reader<'_> {
    /// The call, if it is valid.
    pub(super) fn call(&mut self, call: Written<'_>) -> Option<Call> {
        let call = call.read(self.object, self.context, self.errors)?;
        call.inputs.iter().for_each(|input| self.expr(input, Place::Input));
        Some(call)
    }

    /// Checks an ordinary expression at this place.
    pub(super) fn expr(&mut self, expr: &Expr, place: Place) {
        errors::expr(expr, place, self.context, self.errors);
    }
}
