//! `join(..)`: steps that run concurrently.

use proc_macro2::Ident;
use syn::{Expr, ExprCall, Local, Stmt};

use super::reader::Reader;
use super::statement::{Call, Join};
use super::{call, errors};

/// A statement that looks like a join.
pub(super) struct Written<'a> {
    local: Option<&'a Local>,
    call: &'a ExprCall,
}

/// Parses `[let pattern =] join(..).await?;`.
pub(super) fn parse<'a>(statement: &'a Stmt, context: &Ident) -> Option<Written<'a>> {
    let (local, expr) = match statement {
        Stmt::Local(local) => (Some(local), &*local.init.as_ref().filter(|init| init.diverge.is_none())?.expr),
        Stmt::Expr(expr, Some(_)) => (None, expr),
        _ => return None,
    };
    let Expr::Try(tried) = expr else { return None };
    let Expr::Await(awaited) = &*tried.expr else { return None };
    let Expr::Call(call) = &*awaited.base else { return None };
    let named = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("join"));
    let step = matches!(call.args.last(), Some(Expr::Path(path)) if path.path.is_ident(context));
    (named && !step).then_some(Written { local, call })
}

impl Written<'_> {
    pub(super) fn read(self, reader: &mut Reader<'_>) -> Option<Join> {
        if !errors::join_of(self.call, reader.errors) {
            return None;
        }
        let calls: Vec<_> = self.call.args.iter().filter_map(|arg| read_call(arg, reader)).collect();
        let bound = self.local.map(|local| (local.let_token, local.pat.clone()));
        (calls.len() == self.call.args.len()).then_some(Join { bound, calls })
    }
}

fn read_call(arg: &Expr, reader: &mut Reader<'_>) -> Option<Call> {
    match call::called(arg) {
        Some(written) => reader.call(written),
        None => {
            errors::joined(arg, reader.errors);
            None
        }
    }
}
