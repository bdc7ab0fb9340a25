//! The call of a step in a pipeline.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprTry, Local, Stmt, Token};

use super::callee::{Callee, parse_callee};
use super::check_statement::check_call;
use super::statement::Call;
use crate::errors::Errors;

/// A statement that looks like a call.
pub(super) struct Written<'a> {
    local: Option<&'a Local>,
    call: &'a Expr,
    callee: Callee,
    args: &'a Punctuated<Expr, Token![,]>,
}

/// Parses `[let pattern =] path(args).await?;`.
pub(super) fn parse(statement: &Stmt) -> Option<Written<'_>> {
    let (local, expr) = match statement {
        Stmt::Local(local) => (Some(local), &*local.init.as_ref().filter(|init| init.diverge.is_none())?.expr),
        Stmt::Expr(expr, Some(_)) => (None, expr),
        _ => return None,
    };
    let Expr::Try(tried) = expr else { return None };
    Some(Written { local, ..awaited(tried)? })
}

/// Parses `path(args).await?`.
pub(super) fn awaited(tried: &ExprTry) -> Option<Written<'_>> {
    match &*tried.expr {
        Expr::Await(awaited) => called(&awaited.base),
        _ => None,
    }
}

/// Parses `path(args)`.
pub(super) fn called(expr: &Expr) -> Option<Written<'_>> {
    let (callee, args) = parse_callee(expr)?;
    Some(Written { local: None, call: expr, callee, args })
}

impl Written<'_> {
    /// The call, if it passes on object and context.
    pub(super) fn read(self, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Call> {
        if !check_call(self.call, self.args, object, context, errors) {
            return None;
        }
        let mut inputs: Vec<Expr> = self.args.iter().cloned().collect();
        let context = inputs.pop()?;
        let object = (!inputs.is_empty()).then(|| inputs.remove(0))?;
        let bound = self.local.map(|local| (local.let_token, local.pat.clone()));
        Some(Call { bound, callee: self.callee, inputs, object, context })
    }
}
