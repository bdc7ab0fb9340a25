//! A branch of a pipeline: `if`, `else if`, `else`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, ExprIf, Pat, Stmt, Token};

use super::errors::{self, Place};
use super::{Reader, Statement};

/// `[let pattern =] if a { .. } else if b { .. } else { .. }`.
pub(crate) struct Branch {
    /// `let pattern: Type`.
    pub(crate) bound: Option<(Token![let], Pat)>,
    /// In written order; the last one is the `else`, unless it is missing.
    pub(crate) arms: Vec<Arm>,
}

/// One arm, with the condition under which it runs.
pub(crate) struct Arm {
    /// `else`, before all but the first arm.
    pub(crate) otherwise: Option<Token![else]>,
    /// `if condition`; not in the last `else`.
    pub(crate) when: Option<(Token![if], Expr)>,
    pub(crate) statements: Vec<Statement>,
}

impl Arm {
    /// What stands before its brace.
    pub(crate) fn head(&self) -> TokenStream {
        let (otherwise, when) = (&self.otherwise, self.when.iter().map(|(token, expr)| quote!(#token #expr)));
        quote!(#otherwise #(#when)*)
    }
}

/// A statement of the shape of a branch.
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

/// Reads the arms. `valued`: what the branch ends with is bound or handed on.
pub(super) fn read(
    reader: &mut Reader<'_>,
    bound: Option<(Token![let], Pat)>,
    branch: &ExprIf,
    valued: bool,
) -> Branch {
    let valued = valued || bound.is_some();
    let mut arms = Vec::new();
    let (mut otherwise, mut next) = (None, Some(branch));
    while let Some(branch) = next {
        errors::expr(&branch.cond, Place::Condition, reader);
        let statements = read_arm(reader, &branch.then_branch.stmts, valued);
        let when = Some((branch.if_token, (*branch.cond).clone()));
        arms.push(Arm { otherwise, when, statements });
        next = None;
        match branch.else_branch.as_ref().map(|(token, expr)| (*token, &**expr)) {
            Some((token, Expr::If(branch))) => (otherwise, next) = (Some(token), Some(branch)),
            Some((token, Expr::Block(block))) => {
                let statements = read_arm(reader, &block.block.stmts, valued);
                arms.push(Arm { otherwise: Some(token), when: None, statements });
            }
            _ => {}
        }
    }
    Branch { bound, arms }
}

fn read_arm(reader: &mut Reader<'_>, statements: &[Stmt], valued: bool) -> Vec<Statement> {
    let mut read = Vec::new();
    for (i, statement) in statements.iter().enumerate() {
        let last = i + 1 == statements.len();
        match statement {
            Stmt::Expr(expr, None) if last => read.extend(read_end(reader, statement, expr, valued)),
            _ => read.extend(reader.statement(statement, false)),
        }
    }
    read
}

/// What an arm ends with, without a semicolon: a step, a branch, a loop, or the value of the arm.
fn read_end(reader: &mut Reader<'_>, statement: &Stmt, expr: &Expr, valued: bool) -> Vec<Statement> {
    match expr {
        Expr::If(_) | Expr::ForLoop(_) => reader.statement(statement, valued).into_iter().collect(),
        Expr::Try(_) => {
            let ended = Stmt::Expr(expr.clone(), Some(Token![;](Span::mixed_site())));
            let step = reader.statement(&ended, false);
            step.into_iter().flat_map(Statement::handing_on).collect()
        }
        _ if valued && errors::is_value(expr, reader.context) => {
            errors::expr(expr, Place::Value, reader);
            vec![Statement::Value(expr.to_token_stream())]
        }
        _ => reader.statement(statement, false).into_iter().collect(),
    }
}
