//! The body of a reconciler: calls of steps, and nothing else.

mod call;
mod mentioned;

use proc_macro2::Ident;
use syn::parse::Parser;
use syn::{Block, Expr, Stmt};

pub(crate) use self::call::Call;
pub(crate) use self::mentioned::mentioned;
use super::check;
use crate::errors::Errors;
use crate::syntax::function::Function;

/// The body of a reconciler.
pub(crate) struct Pipeline {
    pub(crate) statements: Vec<Statement>,
}

/// One statement of a pipeline.
pub(crate) enum Statement {
    /// `[let pattern =] step(..).await?;`
    Call(Call),
}

impl Pipeline {
    /// The calls of steps in the order in which they are written: that of the wiring.
    pub(crate) fn calls(&self) -> Vec<&Call> {
        let calls = self.statements.iter().map(|statement| match statement {
            Statement::Call(call) => call,
        });
        calls.collect()
    }
}

/// Reads the body. `None`: it is not parsed by syn, and rustc has its own words for that.
pub(crate) fn read(function: &Function, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Pipeline> {
    let statements = errors.take(Block::parse_within.parse2(function.body.stream()))?;
    let Some((last, steps)) = statements.split_last() else {
        check::refuse_end(function, None, errors);
        return None;
    };
    let steps = if is_end(last) { steps } else { &statements };
    let before = errors.count();
    let statements: Vec<_> =
        steps.iter().filter_map(|statement| read_statement(statement, object, context, errors)).collect();
    let sound = errors.count() == before;
    if !is_end(last) && (sound || is_tail(last)) {
        check::refuse_end(function, Some(last), errors);
    } else if statements.is_empty() && sound {
        check::refuse_end(function, None, errors);
    }
    Some(Pipeline { statements })
}

fn read_statement(statement: &Stmt, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Statement> {
    match call::parse(statement) {
        Some(call) => call.read(object, context, errors).map(Statement::Call),
        None => {
            if !is_tail(statement) {
                check::refuse_statement(statement, errors);
            }
            None
        }
    }
}

/// `Ok(())` without a semicolon.
fn is_end(statement: &Stmt) -> bool {
    let Stmt::Expr(Expr::Call(call), None) = statement else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    let unit = matches!(call.args.first(), Some(Expr::Tuple(tuple)) if tuple.elems.is_empty());
    unit && call.args.len() == 1 && path.path.segments.last().is_some_and(|segment| segment.ident == "Ok")
}

/// `step(..).await` at the end.
fn is_tail(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Await(_), None))
}
