//! A branch of a pipeline: `if`, `else if`, `else`, or a `match`.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, ExprMatch, LitStr, Pat, Stmt, Token};

use super::errors::{self, Place};
use super::exhaustiveness::mentioned_steps;
use super::reader::Reader;
use super::statement::{Arm, Branch, Head, NOT_NEEDED, Skip, Statement, step_name};

/// Parses one statement. `true`: it is the last one of an arm whose value is bound.
pub(super) type ReadStatement = fn(&mut Reader<'_>, &Stmt, bool) -> Option<Statement>;

/// A statement that looks like a branch, with the pattern that it binds.
pub(super) fn parse(statement: &Stmt) -> Option<(Option<(Token![let], Pat)>, &Expr)> {
    let (bound, expr) = match statement {
        Stmt::Expr(expr, _) => (None, expr),
        Stmt::Local(local) => {
            let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
            (Some((local.let_token, local.pat.clone())), &*init.expr)
        }
        _ => return None,
    };
    matches!(expr, Expr::If(_) | Expr::Match(_)).then_some((bound, expr))
}

/// Parses the arms. `valued`: the value of the branch is bound or returned.
pub(super) fn read(
    reader: &mut Reader<'_>,
    bound: Option<(Token![let], Pat)>,
    branch: &Expr,
    valued: bool,
    read: ReadStatement,
) -> Branch {
    let valued = valued || bound.is_some();
    match branch {
        Expr::Match(branch) => {
            let arms = read_cases(reader, branch, valued, read);
            Branch { bound, on: Some((branch.match_token, (*branch.expr).clone())), arms }
        }
        branch => Branch { bound, on: None, arms: read_ifs(reader, branch, valued, read) },
    }
}

fn read_ifs(reader: &mut Reader<'_>, branch: &Expr, valued: bool, read: ReadStatement) -> Vec<Arm> {
    let mut arms = Vec::new();
    let (mut otherwise, mut next) = (None, Some(branch));
    while let Some(expr) = next {
        next = None;
        match (expr, otherwise) {
            (Expr::If(branch), _) => {
                reader.expr(&branch.cond, Place::Condition);
                let statements = read_arm(reader, &branch.then_branch.stmts, valued, read);
                arms.push(Arm { head: Head::If(otherwise, branch.if_token, (*branch.cond).clone()), statements });
                if let Some((token, expr)) = &branch.else_branch {
                    (otherwise, next) = (Some(*token), Some(&**expr));
                }
            }
            (Expr::Block(block), Some(token)) => {
                let statements = read_arm(reader, &block.block.stmts, valued, read);
                arms.push(Arm { head: Head::Else(token), statements });
            }
            _ => {}
        }
    }
    arms
}

/// Parses the arms of a `match`. Each skips the steps of the others that it does not mention.
fn read_cases(reader: &mut Reader<'_>, branch: &ExprMatch, valued: bool, read: ReadStatement) -> Vec<Arm> {
    reader.expr(&branch.expr, Place::Matched);
    let mut arms = Vec::new();
    for case in &branch.arms {
        if let Some(attribute) = case.attrs.first() {
            let name = attribute.path().to_token_stream().to_string();
            errors::refuse_attribute(attribute, &name, reader.errors);
        }
        if let Pat::Guard(pattern) = &case.pat {
            reader.expr(&pattern.guard, Place::Condition);
        }
        let statements = match &*case.body {
            Expr::Block(block) if block.label.is_none() => read_arm(reader, &block.block.stmts, valued, read),
            body => read_arm(reader, &[Stmt::Expr(body.clone(), None)], valued, read),
        };
        arms.push(Arm { head: Head::Case(case.pat.clone()), statements });
    }
    skip_others(&mut arms);
    arms
}

/// Adds the skips to the arms of a `match`.
fn skip_others(arms: &mut [Arm]) {
    let all = arms.iter().flat_map(|arm| mentioned_steps(&arm.statements)).cloned().collect::<Vec<_>>();
    for arm in arms {
        let mut here: Vec<String> = mentioned_steps(&arm.statements).into_iter().map(step_name).collect();
        let mut skips = Vec::new();
        for step in &all {
            let name = step_name(step);
            if !here.contains(&name) {
                here.push(name);
                skips.push(Statement::Skip(Skip { step: step.clone(), reason: LitStr::new(NOT_NEEDED, step.span()) }));
            }
        }
        arm.statements.splice(..0, skips);
    }
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
        Expr::If(_) | Expr::Match(_) | Expr::ForLoop(_) => read(reader, statement, valued).into_iter().collect(),
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
