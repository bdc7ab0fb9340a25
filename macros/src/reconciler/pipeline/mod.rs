//! The body of a reconciler: calls of steps, branches of them, and log lines.

mod branch;
mod call;
mod callee;
mod check_statement;
mod each;
mod errors;
mod exhaustiveness;
mod join;
mod log;
mod reader;
mod skip;
mod statement;
mod used_paths;

use proc_macro2::Ident;
use syn::parse::Parser;
use syn::{Block, Expr, Stmt};

pub(crate) use self::callee::Callee;
pub(crate) use self::check_statement::FREE_STATEMENT;
use self::reader::Reader;
pub(crate) use self::statement::{Arm, Branch, Call, Each, Head, Join, Pipeline, Skip, Statement, step_name};
pub(crate) use self::used_paths::mentioned;
use crate::errors::Errors;
use crate::syntax::function::Function;

/// Parses the body. `None` if syn cannot parse it; the error is added.
pub(crate) fn read(function: &Function, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Pipeline> {
    let statements = errors.take(Block::parse_within.parse2(function.body.stream()))?;
    let Some((last, steps)) = statements.split_last() else {
        check_statement::refuse_end(function, None, errors);
        return None;
    };
    let steps = match last {
        last if is_end(last) || is_tail(last) => steps,
        _ => &statements,
    };
    let before = errors.count();
    let mut reader = Reader { object, context, errors };
    let statements: Vec<_> =
        steps.iter().filter_map(|statement| read_statement(&mut reader, statement, false)).collect();
    let sound = errors.count() == before;
    if sound {
        exhaustiveness::check(&statements, errors);
    }
    if !is_end(last) && (sound || is_tail(last)) {
        check_statement::refuse_end(function, Some(last), errors);
    } else if statements.is_empty() && sound {
        check_statement::refuse_end(function, None, errors);
    }
    Some(Pipeline { statements })
}

/// Parses a statement. `valued`: it is the last one of an arm whose value is bound.
fn read_statement(reader: &mut Reader<'_>, statement: &Stmt, valued: bool) -> Option<Statement> {
    if errors::attribute(statement, reader.errors) {
        return None;
    }
    if let Some((bound, branch)) = branch::parse(statement) {
        return Some(Statement::Branch(branch::read(reader, bound, branch, valued, read_statement)));
    }
    if let Some(call) = skip::parse(statement, reader.context) {
        return skip::read(reader, statement, call).map(Statement::Skip);
    }
    if let Some(each) = each::parse(statement) {
        return each::read(reader, each).map(Box::new).map(Statement::Each);
    }
    if let Some(join) = join::parse(statement, reader.context) {
        return join.read(reader).map(Statement::Join);
    }
    if let Some(line) = log::parse(statement) {
        errors::log_line(line, reader.context, reader.errors);
        return Some(Statement::Log(line.clone()));
    }
    match call::parse(statement) {
        Some(call) => reader.call(call).map(Box::new).map(Statement::Call),
        None => {
            check_statement::refuse_statement(statement, reader.errors);
            None
        }
    }
}

/// Whether the statement is `Ok(())` without a semicolon.
fn is_end(statement: &Stmt) -> bool {
    let Stmt::Expr(Expr::Call(call), None) = statement else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let unit = matches!(call.args.first(), Some(Expr::Tuple(tuple)) if tuple.elems.is_empty());
    unit && call.args.len() == 1 && path.path.segments.last().is_some_and(|segment| segment.ident == "Ok")
}

/// Whether the statement is `step(..).await` at the end.
fn is_tail(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Await(_), None))
}
