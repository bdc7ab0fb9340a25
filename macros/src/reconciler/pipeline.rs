//! The body of a reconciler: calls of steps, and nothing else.

use proc_macro2::Ident;
use syn::parse::Parser;
use syn::visit::Visit;
use syn::{Block, Expr, ExprCall, ExprPath, Local, Pat, Path, Stmt, Token};

use super::check;
use crate::errors::Errors;
use crate::syntax::function::Function;

/// One call of a step, with what it binds.
pub(crate) struct Call {
    /// `let pattern: Type`.
    pub(crate) bound: Option<(Token![let], Pat)>,
    pub(crate) path: Path,
    /// Between object and context.
    pub(crate) inputs: Vec<Expr>,
    /// The object as handed on.
    pub(crate) object: Expr,
    /// The context as handed on.
    pub(crate) context: Expr,
}

/// Reads the body. `None`: it is not parsed by syn, and rustc has its own words for that.
pub(crate) fn read(function: &Function, object: &Ident, context: &Ident, errors: &mut Errors) -> Option<Vec<Call>> {
    let statements = errors.take(Block::parse_within.parse2(function.body.stream()))?;
    let Some((last, steps)) = statements.split_last() else {
        check::refuse_end(function, None, errors);
        return None;
    };
    let steps = if is_end(last) { steps } else { &statements };
    let before = errors.count();
    let calls = steps.iter().filter_map(|statement| match parse_statement(statement) {
        Some((bound, call, path)) => {
            check::check_call(call, object, context, errors).then(|| split(bound, call, path)).flatten()
        }
        None => {
            if !is_tail(statement) {
                check::refuse_statement(statement, errors);
            }
            None
        }
    });
    let calls: Vec<_> = calls.collect();
    let sound = errors.count() == before;
    if !is_end(last) && (sound || is_tail(last)) {
        check::refuse_end(function, Some(last), errors);
    } else if calls.is_empty() && sound {
        check::refuse_end(function, None, errors);
    }
    Some(calls)
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

/// `[let pattern =] path(args).await?;`
fn parse_statement(statement: &Stmt) -> Option<(Option<&Local>, &ExprCall, &Path)> {
    let (local, expr) = match statement {
        Stmt::Local(local) => (Some(local), &*local.init.as_ref().filter(|init| init.diverge.is_none())?.expr),
        Stmt::Expr(expr, Some(_)) => (None, expr),
        _ => return None,
    };
    let Expr::Try(tried) = expr else { return None };
    let Expr::Await(awaited) = &*tried.expr else { return None };
    let Expr::Call(call) = &*awaited.base else { return None };
    let Expr::Path(ExprPath { path, qself: None, .. }) = &*call.func else { return None };
    Some((local, call, path))
}

fn split(local: Option<&Local>, call: &ExprCall, path: &Path) -> Option<Call> {
    let mut inputs: Vec<Expr> = call.args.iter().cloned().collect();
    let context = inputs.pop()?;
    let object = (!inputs.is_empty()).then(|| inputs.remove(0))?;
    let bound = local.map(|local| (local.let_token, local.pat.clone()));
    Some(Call { bound, path: path.clone(), inputs, object, context })
}

/// What the body awaits or calls with the context: in a body with a mistake, these count as used.
pub(crate) fn mentioned(function: &Function) -> Vec<Path> {
    let mut found = Mentioned { context: None, paths: Vec::new() };
    let params = function.params();
    let Some(Pat::Ident(context)) = params.last().map(|last| &*last.pat) else { return found.paths };
    found.context = Some(context.ident.clone());
    let statements = Block::parse_within.parse2(function.body.stream()).unwrap_or_default();
    for statement in &statements {
        found.visit_stmt(statement);
    }
    found.paths
}

struct Mentioned {
    context: Option<Ident>,
    paths: Vec<Path>,
}

impl<'ast> Visit<'ast> for Mentioned {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let context = self.context.clone();
        let has_context = call.args.iter().any(|arg| match arg {
            Expr::Path(path) => path.path.get_ident() == context.as_ref(),
            _ => false,
        });
        if let (true, Expr::Path(path)) = (has_context, &*call.func) {
            self.paths.push(path.path.clone());
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_expr_await(&mut self, awaited: &'ast syn::ExprAwait) {
        if let Expr::Call(call) = &*awaited.base
            && let Expr::Path(path) = &*call.func
        {
            self.paths.push(path.path.clone());
        }
        syn::visit::visit_expr_await(self, awaited);
    }
}
