//! Checks of a statement in a pipeline, each with its own help line.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Stmt, Token};

use super::callee::is_self;
use super::errors::is_name;
use crate::errors::Errors;
use crate::syntax::function::Function;

/// Rejects a statement that is not a step, with a help line for its kind.
pub(crate) fn refuse_statement(statement: &Stmt, errors: &mut Errors) {
    let step = "write `let x = step(repo, .., cx).await?;` or `step(repo, .., cx).await?;`";
    let (headline, help) = match statement {
        Stmt::Item(_) => ("an item is not allowed in a pipeline", "move it out of the function"),
        Stmt::Macro(call) if is_join(&call.mac) => MACRO,
        Stmt::Macro(_) => FREE,
        Stmt::Local(local) if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) => {
            ("a `let .. else` would leave the pipeline", "bind the result, then write `if let .. else { skip(..) }`")
        }
        Stmt::Local(local) => match local.init.as_ref().map(|init| &*init.expr) {
            None => ("a binding without a step is not allowed in a pipeline", step),
            Some(expr) => headline(expr),
        },
        Stmt::Expr(expr, _) => headline(expr),
    };
    match statement {
        Stmt::Local(_) | Stmt::Item(_) | Stmt::Macro(_) => errors.push(statement, headline, help),
        Stmt::Expr(expr, _) => errors.push(expr, headline, help),
    }
}

/// The headline for a statement that is not a step.
pub(crate) const FREE_STATEMENT: &str = "a free statement is not allowed in a pipeline";

const FREE: (&str, &str) =
    (FREE_STATEMENT, "put it into a `#[sub_reconciler]`: a step has a condition, a span and metrics");

const MACRO: (&str, &str) = (
    "a macro is not allowed in a pipeline",
    "call the steps themselves; concurrently: `join(fetch(repo, .., cx), load(repo, .., cx)).await?`",
);

fn headline(expr: &Expr) -> (&'static str, &'static str) {
    match expr {
        Expr::While(_) | Expr::Loop(_) => (
            "a loop without items is not allowed in a pipeline",
            "write `for item in items { step(repo, item, cx).await?; }`, or loop inside a step",
        ),
        Expr::Closure(_) => ("a closure is not allowed in a pipeline", "call the step itself"),
        expr if matches!(peeled(expr), Expr::Async(_)) => {
            ("an `async` block is not allowed in a pipeline", "call the step itself")
        }
        expr if matches!(peeled(expr), Expr::Macro(_)) => MACRO,
        Expr::Return(_) => {
            ("an early return is not allowed in a pipeline", "return an error of class `ignored` from a step")
        }
        Expr::Await(_) => ("the error of this step is not propagated", "write `?` after `.await`"),
        Expr::Try(inner) if is_call(&inner.expr) => ("this step is not awaited", "write `.await?` after the call"),
        call if is_call(call) => {
            ("this step is not awaited, and its error is not propagated", "write `.await?` after the call")
        }
        _ => FREE,
    }
}

/// Whether the macro is a join: `tokio::join!`, `futures::try_join!`.
fn is_join(call: &Macro) -> bool {
    call.path.segments.last().is_some_and(|segment| segment.ident.to_string().ends_with("join"))
}

/// The expression without `?` and `.await`.
fn peeled(expr: &Expr) -> &Expr {
    match expr {
        Expr::Try(inner) => peeled(&inner.expr),
        Expr::Await(inner) => peeled(&inner.base),
        expr => expr,
    }
}

/// Whether the expression calls a function or a method of the struct.
fn is_call(expr: &Expr) -> bool {
    match expr {
        Expr::Call(_) => true,
        Expr::MethodCall(call) => is_self(&call.receiver),
        _ => false,
    }
}

/// A pipeline must end with `Ok(())`.
pub(crate) fn refuse_end(function: &Function, last: Option<&Stmt>, errors: &mut Errors) {
    let headline = "a pipeline ends with `Ok(())`";
    match last {
        Some(Stmt::Expr(expr @ Expr::Await(_), None)) => {
            errors.push(expr, "a pipeline ends with `Ok(())`, not with a step", "write `.await?; Ok(())`");
        }
        Some(last) => errors.push(last, headline, "add `Ok(())` as the last line"),
        None => errors.push(&function.sig.ident, "this pipeline has no steps", "call a `#[sub_reconciler]`"),
    }
}

/// A step must get the object first and the context last.
pub(crate) fn check_call(
    call: &Expr,
    args: &Punctuated<Expr, Token![,]>,
    object: &Ident,
    context: &Ident,
    errors: &mut Errors,
) -> bool {
    let is = |expr: Option<&Expr>, ident: &Ident| matches!(expr, Some(Expr::Path(path)) if path.path.is_ident(ident));
    if !is(args.last(), context) {
        match args.last().filter(|last| is_name(last, context)) {
            Some(last) => errors.push(
                last,
                format_args!("`{context}` is passed to a step as it is"),
                format_args!("write `{context}` as the last argument: each step makes its own context from it"),
            ),
            None => errors.push(
                call,
                "a step takes the context as its last argument",
                format_args!("write `{context}` as the last argument; only steps can be called here"),
            ),
        }
        return false;
    }
    if !is(args.first(), object) {
        let help = format!("write `{object}` as the first argument");
        errors.push(call, "a step takes the object of the reconciler as its first argument", help);
        return false;
    }
    true
}
