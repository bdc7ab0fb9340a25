//! Loops `for item in items { step(..).await?; }`: a step that runs for every item.

use syn::{Expr, ExprForLoop, Stmt};

use super::call;
use super::errors::{self, Place};
use super::reader::Reader;
use super::statement::Each;

/// A statement that looks like a loop.
pub(super) fn parse(statement: &Stmt) -> Option<&ExprForLoop> {
    match statement {
        Stmt::Expr(Expr::ForLoop(each), _) => Some(each),
        _ => None,
    }
}

pub(super) fn read(reader: &mut Reader<'_>, each: &ExprForLoop) -> Option<Each> {
    reader.expr(&each.expr, Place::Items);
    let written = match &*each.body.stmts {
        [statement] if errors::attribute(statement, reader.errors) => return None,
        [Stmt::Expr(Expr::Try(tried), _)] => call::awaited(tried),
        _ => None,
    };
    let Some(written) = written else {
        errors::each_of(each, reader.errors);
        return None;
    };
    Some(Each {
        for_token: each.for_token,
        pattern: (*each.pat).clone(),
        in_token: each.in_token,
        items: (*each.expr).clone(),
        call: reader.call(written)?,
    })
}
