//! Parsed expressions, cached by their text.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use kube_cel::cel::common::ast::{Expr, IdedExpr, ListExpr};
use kube_cel::cel::parser::{ParseErrors, Parser};

use super::found::Mistake;
use super::macros::expand;
use super::nesting;
use super::visit::visit;
use crate::lock::Mutex;

/// A parsed expression.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) expr: IdedExpr,
    /// Whether the expression needs a larger stack than a test thread may have.
    pub(super) is_deep: bool,
}

/// A parsed expression, or the text of the parse error.
pub(super) type Parsed = Result<Arc<Program>, String>;

/// Maximum number of cached expressions; when it is reached, the cache is cleared.
const KEPT: usize = 4096;

/// Parses an expression, or returns it from the cache.
pub(super) fn parsed(text: &str) -> Parsed {
    static ALL: LazyLock<Mutex<HashMap<String, Parsed>>> = LazyLock::new(Mutex::default);
    if let Some(found) = ALL.lock().get(text) {
        return found.clone();
    }
    let parsed = nesting::roomy(text.len() > nesting::SHORT, || parse(text)).map(Arc::new);
    let mut all = ALL.lock();
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(text.to_owned(), parsed.clone());
    parsed
}

/// Parses the expression as the first item of a list, so that its ids match those of [`positions`].
fn parse(text: &str) -> Result<Program, String> {
    nesting::brackets(text)?;
    parser().parse(text).map_err(|errors| printed(&errors, text))?;
    let listed = parser().parse(&format!("[{text}\n,0]")).map_err(|errors| printed(&errors, text))?;
    match listed.expr {
        Expr::List(ListExpr { elements, .. }) => {
            let first = elements.into_iter().next();
            let first = first.ok_or_else(|| "an empty expression".to_owned())?;
            let mut expr = denied(first, text);
            nesting::levels(&expr)?;
            expand(&mut expr).map_err(|mistakes| placed(text, &mistakes))?;
            let is_deep = nesting::depth(&expr) > nesting::SHALLOW;
            Ok(Program { expr, is_deep })
        }
        _ => Err("no expression".to_owned()),
    }
}

fn parser() -> Parser {
    Parser::new().enable_optional_syntax(true).max_recursion_depth(nesting::PARSED)
}

fn printed(errors: &ParseErrors, text: &str) -> String {
    let full = |what: &str| match what {
        "argument must be a simple name" | "invalid argument to has() macro" => what.to_owned(),
        other => format!("Syntax error: {other}"),
    };
    let lines: Vec<String> = errors.errors.iter().map(|error| error_at(text, error.pos, &full(&error.msg))).collect();
    lines.join("\n")
}

/// The byte offset of each numbered part of an expression that parses.
///
/// The parser reports positions only with errors, so the text is parsed with an invalid expression appended.
fn offsets(text: &str) -> impl Fn(u64) -> usize + use<> {
    let info = nesting::roomy(text.len() > nesting::SHORT, || {
        let errors = parser().parse(&format!("[{text}\n,has(0)]")).err().map(|errors| errors.errors);
        errors.unwrap_or_default().into_iter().find_map(|error| error.source_info)
    });
    move |id| {
        let start = info.as_ref().and_then(|info| info.offset_for(id)).map_or(0, |(start, _)| start as usize);
        start.saturating_sub(1)
    }
}

/// The line and column of each numbered part of an expression that parses.
fn positions(text: &str) -> impl Fn(u64) -> (isize, isize) + use<> {
    let (offset, text) = (offsets(text), text.to_owned());
    move |id| {
        let before = text.get(..offset(id)).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
        (line as isize + 1, column as isize + 1)
    }
}

/// The errors in an expression that parses, as the CEL compiler of a server prints them.
pub(super) fn placed(text: &str, mistakes: &[Mistake]) -> String {
    let position = positions(text);
    let mut placed: Vec<_> = mistakes.iter().map(|(id, why)| (position(*id), why)).collect();
    placed.sort();
    let lines: Vec<String> = placed.into_iter().map(|(at, why)| error_at(text, at, why)).collect();
    lines.join("\n")
}

/// Restores a single `!`, since the parser reduces every sequence of `!` to one or none.
fn denied(mut expr: IdedExpr, text: &str) -> IdedExpr {
    let is_even = |rest: &str| rest.chars().filter(|c| !c.is_whitespace()).take_while(|c| *c == '!').count() % 2 == 0;
    let squeezed: String = text.split_whitespace().collect();
    if !squeezed.contains("!!") {
        return expr;
    }
    let offset = offsets(text);
    visit(&mut expr, &mut |expr| {
        let id = expr.id;
        if let Expr::Call(call) = &mut expr.expr
            && call.func_name == "!_"
            && text.get(offset(id)..).is_some_and(|rest| rest.starts_with('!') && is_even(rest))
            && let Some(inner) = call.args.pop()
        {
            *expr = inner;
        }
    });
    expr
}

/// An error as the CEL compiler of a server prints it.
fn error_at(text: &str, (line, column): (isize, isize), what: &str) -> String {
    let shown = usize::try_from(line - 1).ok().and_then(|line| text.lines().nth(line)).unwrap_or_default();
    let dots = ".".repeat(usize::try_from(column - 1).unwrap_or_default());
    format!("ERROR: <input>:{line}:{column}: {what}\n | {shown}\n | {dots}^")
}

/// Whether the expression references the variable.
pub(super) fn uses(expr: &IdedExpr, variable: &str) -> bool {
    expr.references().has_variable(variable)
}
