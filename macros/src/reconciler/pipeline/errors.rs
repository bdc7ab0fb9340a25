//! Errors of branches, joins, loops, skips and log lines, each with its own help line.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, ExprCall, ExprForLoop, Macro, Stmt};

use super::callee::Callee;
use super::statement::{Arm, Branch, NOT_NEEDED, Skip, step_name};
use crate::errors::Errors;

/// The place of an ordinary expression in a pipeline.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// After `if`.
    Condition,
    /// After `match`.
    Matched,
    /// In a log line.
    Log,
    /// At the end of an arm.
    Value,
    /// After `in`.
    Items,
    /// Between object and context.
    Input,
}

impl Place {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Condition => (
                "the condition of a branch",
                "bind it before: `let found = step(repo, .., cx).await?;`, then `if found`",
            ),
            Self::Matched => (
                "the value of a `match`",
                "bind it before: `let found = step(repo, .., cx).await?;`, then `match found`",
            ),
            Self::Log => ("a log line", "bind the value before: `let found = step(repo, .., cx).await?;`"),
            Self::Value => {
                ("the value of a branch", "give the step its own line: `let found = step(repo, .., cx).await?;`")
            }
            Self::Items => (
                "the items of a loop",
                "bind them before: `let found = step(repo, .., cx).await?;`, then `for item in found`",
            ),
            Self::Input => {
                ("the input of a step", "give each step its own line: `let found = step(repo, .., cx).await?;`")
            }
        }
    }
}

/// Checks an ordinary expression: it must not call a step, await, or leave the pipeline.
pub(super) fn expr(expr: &Expr, place: Place, context: &Ident, errors: &mut Errors) {
    let Some(found) = find(expr.to_token_stream(), context) else { return };
    if is_name(expr, context) {
        let help = "drop it here: a step takes it once, as the last argument";
        return errors.push(expr, format_args!("`{context}` is passed to a step once"), help);
    }
    refuse(&found, place, errors);
}

/// Checks a log line, as an ordinary expression.
pub(super) fn log_line(line: &Macro, context: &Ident, errors: &mut Errors) {
    if let Some(found) = find(line.tokens.clone(), context) {
        refuse(&found, Place::Log, errors);
    }
}

fn refuse(found: &TokenTree, place: Place, errors: &mut Errors) {
    let (place, bind) = place.words();
    let (what, help) = match found.to_string().as_str() {
        "?" => ("propagate an error", "decide in a step: its error has a class and a condition"),
        "return" | "break" | "continue" => ("leave the pipeline", "return an error of class `ignored` from a step"),
        _ => ("run a step", bind),
    };
    errors.push(found, format_args!("{place} cannot {what}"), help);
}

/// Whether the expression is the name, as `cx` or `&mut *cx`.
pub(crate) fn is_name(expr: &Expr, name: &Ident) -> bool {
    match expr {
        Expr::Path(path) => path.path.is_ident(name),
        Expr::Reference(reference) => is_name(&reference.expr, name),
        Expr::Unary(unary) => is_name(&unary.expr, name),
        _ => false,
    }
}

/// The first token that an ordinary expression must not have.
fn find(tokens: TokenStream, context: &Ident) -> Option<TokenTree> {
    let odd =
        |ident: &Ident| ident == context || ["await", "return", "break", "continue"].iter().any(|word| ident == word);
    let mut after_value = false;
    tokens.into_iter().find_map(|token| {
        // `?value` in a log line only formats the value.
        let is_try = after_value && matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '?');
        after_value = !matches!(token, TokenTree::Punct(_));
        match &token {
            TokenTree::Group(group) => find(group.stream(), context),
            TokenTree::Ident(ident) if odd(ident) => Some(token),
            _ => is_try.then_some(token),
        }
    })
}

/// Whether it can be the value of an arm. If not, it is an invalid statement.
pub(super) fn is_value(expr: &Expr, context: &Ident) -> bool {
    match expr {
        Expr::Await(_) | Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::While(_) | Expr::Loop(_) => false,
        Expr::Call(call) => !matches!(call.args.last(), Some(Expr::Path(path)) if path.path.is_ident(context)),
        _ => true,
    }
}

/// Rejects attributes on a statement. A step under `#[cfg]` would add or remove its conditions per build.
pub(super) fn attribute(statement: &Stmt, errors: &mut Errors) -> bool {
    let mut tokens = statement.to_token_stream().into_iter();
    let (Some(TokenTree::Punct(pound)), Some(TokenTree::Group(group))) = (tokens.next(), tokens.next()) else {
        return false;
    };
    let first = group.stream().into_iter().next().map(|token| token.to_string()).unwrap_or_default();
    if pound.as_char() != '#' {
        return false;
    }
    refuse_attribute(quote!(#pound #group), &first, errors);
    true
}

/// Rejects an attribute with this name.
pub(super) fn refuse_attribute(attribute: impl ToTokens, name: &str, errors: &mut Errors) {
    if name == "cfg" || name == "cfg_attr" {
        let help = "put the `#[cfg]` inside the step, or on the whole reconciler";
        errors.push(attribute, "a step under `#[cfg]` is not allowed in a pipeline", help);
    } else {
        errors.push(attribute, "an attribute is not allowed in a pipeline", "put it on the whole reconciler");
    }
}

const JOIN: &str = "write `join(fetch(repo, .., cx), load(repo, .., cx)).await?;`";

/// Whether the join has two to eight steps, as it must.
pub(super) fn join_of(call: &ExprCall, errors: &mut Errors) -> bool {
    let headline = match call.args.len() {
        0 => "a `join` without steps",
        1 => "a `join` of one step",
        2..=8 => return true,
        _ => "a `join` of more than eight steps",
    };
    let help = match call.args.first().filter(|_| call.args.len() == 1) {
        Some(_) => "write the step alone: `let found = step(repo, .., cx).await?;`",
        None => JOIN,
    };
    errors.push(call, headline, help);
    false
}

/// Rejects an argument of `join` that is not a step.
pub(super) fn joined(arg: &Expr, errors: &mut Errors) {
    match arg {
        Expr::Await(_) | Expr::Try(_) => {
            let help = "write `.await?` once, after the `join(..)`: then the steps run concurrently";
            errors.push(arg, "a step in a `join` is not awaited by itself", help);
        }
        _ => errors.push(arg, "a `join` takes calls of steps", JOIN),
    }
}

/// A loop must contain one step, and has no value.
pub(super) fn each_of(each: &ExprForLoop, errors: &mut Errors) {
    let (pattern, items) = (&each.pat, &each.expr);
    let (for_token, in_token) = (&each.for_token, &each.in_token);
    let help = "write `for item in items { step(repo, item, cx).await?; }`; do everything for the item in that step";
    errors.push(
        quote!(#for_token #pattern #in_token #items),
        "a loop in a pipeline is one step, and binds nothing",
        help,
    );
}

const SKIP: &str = "write `skip(store, \"NotNeeded\");`, with the name of the step and a reason";

pub(super) fn skip_awaited(statement: &Stmt, errors: &mut Errors) {
    errors.push(statement, "a `skip` cannot be awaited or bound", SKIP);
}

pub(super) fn skip_arguments(call: &ExprCall, errors: &mut Errors) {
    errors.push(call, "`skip` takes the name of a step and a reason", SKIP);
}

/// The reason must be a literal, since it is part of the wiring.
pub(super) fn skip_reason(reason: &Expr, errors: &mut Errors) {
    errors.push(reason, "the reason of a `skip` is a literal", SKIP);
}

/// A skip outside of a branch is rejected, since its step would never run.
pub(super) fn skip_outside(skip: &Skip, errors: &mut Errors) {
    let name = step_name(&skip.step);
    let help = format!("write it into the branch that does not run `{name}`");
    errors.push(&skip.step, "a `skip` is only allowed in a branch", help);
}

/// A skip of a step that no arm runs is rejected, with a suggestion for a misspelt name.
pub(super) fn skip_of_no_step(skip: &Skip, near: Option<&str>, errors: &mut Errors) {
    let name = step_name(&skip.step);
    let help = match near {
        Some(near) => format!("another branch runs `{near}`: write one name for one step"),
        None => format!("drop the `skip`, or run `{name}` in another branch of this `if`"),
    };
    errors.push(&skip.step, format_args!("no other branch runs `{name}`"), help);
}

pub(super) fn branch_without_steps(branch: &Branch, errors: &mut Errors) {
    let help = "decide inside a `#[sub_reconciler]`: a step has a condition, a span and metrics";
    errors.push(branch.head(), "a branch without steps is not allowed in a pipeline", help);
}

/// An arm must run or skip the steps of the other arms.
pub(super) fn untold(arm: &Arm, steps: &[&String], errors: &mut Errors) {
    let headline = match steps {
        [step] => format!("this branch neither runs nor skips `{step}`"),
        steps => format!("this branch neither runs nor skips {} steps of another", steps.len()),
    };
    errors.push(&arm.head, headline, format_args!("add `{}`", skips(steps)));
}

/// Two steps with similar names in two arms: one is probably misspelt.
pub(super) fn misspelt(step: &Callee, near: &str, errors: &mut Errors) {
    let name = step_name(step);
    let help = format!(
        "write one name for one step; of two, add `skip({near}, \"NotNeeded\");` here, and `skip({name}, ..)` there"
    );
    errors.push(step, format_args!("one branch names `{name}`, another one `{near}`"), help);
}

/// A branch without `else` does not cover its steps.
pub(super) fn no_else(branch: &Branch, steps: &[String], errors: &mut Errors) {
    let headline = match steps {
        [step] => format!("without `else`, the conditions of `{step}` may stay unset"),
        steps => format!("without `else`, the conditions of {} steps may stay unset", steps.len()),
    };
    let help = format!("add `else {{ {} }}`", skips(&steps.iter().collect::<Vec<_>>()));
    errors.push(branch.head(), headline, help);
}

fn skips(steps: &[&String]) -> String {
    steps.iter().map(|step| format!("skip({step}, \"{NOT_NEEDED}\");")).collect::<Vec<_>>().join(" ")
}

/// A step must not be called twice, since it sets its conditions once.
pub(super) fn met_twice(path: &Callee, errors: &mut Errors) {
    let name = step_name(path);
    let help = "run it once, or once in each branch of one `if`: it sets its conditions once";
    errors.push(path, format_args!("an earlier line already runs or skips `{name}`"), help);
}
