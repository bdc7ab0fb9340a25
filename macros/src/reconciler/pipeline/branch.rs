//! A branch of a pipeline: `if`, `else if`, `else`.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, ExprIf, Pat, Stmt, Token};

use super::errors::{self, Place};
use super::reader::Reader;
use super::statement::{Arm, Branch, Statement};

/// Parses one statement. `true`: it is the last one of an arm whose value is bound.
pub(super) type ReadStatement = fn(&mut Reader<'_>, &Stmt, bool) -> Option<Statement>;

/// A statement that looks like a branch.
pub(super) fn parse(statement: &Stmt) -> Option<(Option<(Token![let], Pat)>, &ExprIf)> {
    match statement {
        Stmt::Expr(Expr::If(branch), _) => Some((None, branch)),
        Stmt::Local(local) => match local.init.as_ref().filter(|init| init.diverge.is_none()).map(|init| &*init.expr) {
            Some(Expr::If(branch)) => Some((Some((local.let_token, local.pat.clone())), branch)),
            _ => None,
        },
        _ => None,
    }
}

/// Parses the arms. `valued`: the value of the branch is bound or returned.
pub(super) fn read(
    reader: &mut Reader<'_>,
    bound: Option<(Token![let], Pat)>,
    branch: &ExprIf,
    valued: bool,
    read: ReadStatement,
) -> Branch {
    let valued = valued || bound.is_some();
    let mut arms = Vec::new();
    let (mut otherwise, mut next) = (None, Some(branch));
    while let Some(branch) = next {
        reader.expr(&branch.cond, Place::Condition);
        let statements = read_arm(reader, &branch.then_branch.stmts, valued, read);
        let when = Some((branch.if_token, (*branch.cond).clone()));
        arms.push(Arm { otherwise, when, statements });
        next = None;
        match branch.else_branch.as_ref().map(|(token, expr)| (*token, &**expr)) {
            Some((token, Expr::If(branch))) => (otherwise, next) = (Some(token), Some(branch)),
            Some((token, Expr::Block(block))) => {
                let statements = read_arm(reader, &block.block.stmts, valued, read);
                arms.push(Arm { otherwise: Some(token), when: None, statements });
            }
            _ => {}
        }
    }
    Branch { bound, arms }
}

fn read_arm(reader: &mut Reader<'_>, statements: &[Stmt], valued: bool, read: ReadStatement) -> Vec<Statement> {
    let mut found = Vec::new();
    for (i, statement) in statements.iter().enumerate() {
        let last = i + 1 == statements.len();
        match statement {
            Stmt::Expr(expr, None) if last => found.extend(read_end(reader, statement, expr, valued, read)),
            _ => found.extend(read(reader, statement, false)),
        }
    }
    found
}

/// Parses the end of an arm, without a semicolon: a step, a branch, a loop, or the value of the arm.
fn read_end(
    reader: &mut Reader<'_>,
    statement: &Stmt,
    expr: &Expr,
    valued: bool,
    read: ReadStatement,
) -> Vec<Statement> {
    match expr {
        Expr::If(_) | Expr::ForLoop(_) => read(reader, statement, valued).into_iter().collect(),
        Expr::Try(_) => {
            let ended = Stmt::Expr(expr.clone(), Some(Token![;](Span::mixed_site())));
            let step = read(reader, &ended, false);
            step.into_iter().flat_map(Statement::handing_on).collect()
        }
        _ if valued && errors::is_value(expr, reader.context) => {
            reader.expr(expr, Place::Value);
            vec![Statement::Value(expr.to_token_stream())]
        }
        _ => read(reader, statement, false).into_iter().collect(),
    }
}
