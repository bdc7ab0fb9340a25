//! `skip(step, "Reason")`: a step that a branch does not run, with the reason for its conditions.

use proc_macro2::Ident;
use syn::{Expr, ExprCall, ExprLit, Lit, Stmt};

use super::callee::parse_name;
use super::errors;
use super::reader::Reader;
use super::statement::Skip;
use crate::syntax::reason_literal::check_reason;

/// Parses `skip(..)`, whether or not it ends correctly.
pub(super) fn parse<'a>(statement: &'a Stmt, context: &Ident) -> Option<&'a ExprCall> {
    let mut expr = match statement {
        Stmt::Expr(expr, _) => expr,
        Stmt::Local(local) => &local.init.as_ref()?.expr,
        _ => return None,
    };
    loop {
        expr = match expr {
            Expr::Try(inner) => &inner.expr,
            Expr::Await(inner) => &inner.base,
            Expr::Call(call) => return is_skip(call, context).then_some(call),
            _ => return None,
        }
    }
}

/// Whether the call is a `skip`, and not a step with that name, which gets the context last.
fn is_skip(call: &ExprCall, context: &Ident) -> bool {
    let named = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("skip"));
    named && !matches!(call.args.last(), Some(Expr::Path(path)) if path.path.is_ident(context))
}

pub(super) fn read(reader: &mut Reader<'_>, statement: &Stmt, call: &ExprCall) -> Option<Skip> {
    if !matches!(statement, Stmt::Expr(Expr::Call(_), _)) {
        errors::skip_awaited(statement, reader.errors);
        return None;
    }
    let args: Vec<&Expr> = call.args.iter().collect();
    let step = args.first().and_then(|step| parse_name(step));
    let (Some(step), Some(reason), 2) = (step, args.get(1), args.len()) else {
        errors::skip_arguments(call, reader.errors);
        return None;
    };
    let Expr::Lit(ExprLit { lit: Lit::Str(reason), .. }) = reason else {
        errors::skip_reason(reason, reader.errors);
        return None;
    };
    check_reason(reason, reader.errors);
    Some(Skip { step, reason: reason.clone() })
}
