//! Parsed expressions, kept by their text.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue};
use kube_cel::cel::parser::{ParseErrors, Parser};

use super::{deep, meter};

/// A parsed expression.
#[derive(Debug)]
pub(super) struct Program {
    /// As it is checked.
    pub(super) written: IdedExpr,
    /// As it is run: with steps through optional values, and prices.
    pub(super) runs: IdedExpr,
    /// Running it needs more room than the stack of a test may have.
    pub(super) is_deep: bool,
}

/// An expression that parses, or the text of the error that says why not.
pub(super) type Parsed = Result<Arc<Program>, String>;

/// How many expressions are kept before all are forgotten.
const KEPT: usize = 4096;

/// Parses an expression, or finds it parsed.
pub(super) fn parsed(text: &str) -> Parsed {
    static ALL: LazyLock<Mutex<HashMap<String, Parsed>>> = LazyLock::new(Mutex::default);
    if let Some(found) = ALL.lock().unwrap_or_else(PoisonError::into_inner).get(text) {
        return found.clone();
    }
    let parsed = deep::roomy(text.len() > deep::SHORT, || parse(text)).map(Arc::new);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(text.to_owned(), parsed.clone());
    parsed
}

/// As the first of a list, so that its numbers are those that [`positions`] knows.
fn parse(text: &str) -> Result<Program, String> {
    deep::brackets(text)?;
    parser().parse(text).map_err(|errors| printed(&errors, text))?;
    let listed = parser().parse(&format!("[{text}\n,0]")).map_err(|errors| printed(&errors, text))?;
    match listed.expr {
        Expr::List(ListExpr { elements, .. }) => {
            let first = elements.into_iter().next();
            let first = first.ok_or_else(|| "an empty expression".to_owned())?;
            let first = denied(first, text);
            deep::levels(&first)?;
            Ok(program(first))
        }
        _ => Err("no expression".to_owned()),
    }
}

fn parser() -> Parser {
    Parser::new().enable_optional_syntax(true).max_recursion_depth(deep::PARSED)
}

fn printed(errors: &ParseErrors, text: &str) -> String {
    let lines: Vec<String> =
        errors.errors.iter().map(|error| error_at(text, error.pos, &format!("Syntax error: {}", error.msg))).collect();
    lines.join("\n")
}

/// Where each numbered part of an expression that parses stands, in bytes.
///
/// The parser tells positions with errors only, so a mistake is put behind the expression.
fn offsets(text: &str) -> impl Fn(u64) -> usize + use<> {
    let info = deep::roomy(text.len() > deep::SHORT, || {
        let errors = parser().parse(&format!("[{text}\n,has(0)]")).err().map(|errors| errors.errors);
        errors.unwrap_or_default().into_iter().find_map(|error| error.source_info)
    });
    move |id| {
        let start = info.as_ref().and_then(|info| info.offset_for(id)).map_or(0, |(start, _)| start as usize);
        start.saturating_sub(1)
    }
}

/// The line and column of each numbered part of an expression that parses.
pub(super) fn positions(text: &str) -> impl Fn(u64) -> (isize, isize) + use<> {
    let (offset, text) = (offsets(text), text.to_owned());
    move |id| {
        let before = text.get(..offset(id)).unwrap_or_default();
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count());
        (line as isize + 1, column as isize + 1)
    }
}

/// Undoes what the parser makes of `!!a`, which is `!a`.
fn denied(mut expr: IdedExpr, text: &str) -> IdedExpr {
    let is_even = |rest: &str| rest.chars().filter(|c| !c.is_whitespace()).take_while(|c| *c == '!').count() % 2 == 0;
    let squeezed: String = text.split_whitespace().collect();
    if !squeezed.contains("!!") {
        return expr;
    }
    let offset = offsets(text);
    visit(&mut expr, &|expr| {
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

/// An error as the compiler of a server prints it.
pub(super) fn error_at(text: &str, (line, column): (isize, isize), what: &str) -> String {
    let shown = usize::try_from(line - 1).ok().and_then(|line| text.lines().nth(line)).unwrap_or_default();
    let dots = ".".repeat(usize::try_from(column - 1).unwrap_or_default());
    format!("ERROR: <input>:{line}:{column}: {what}\n | {shown}\n | {dots}^")
}

/// Whether the expression names the variable.
pub(super) fn uses(expr: &IdedExpr, variable: &str) -> bool {
    expr.references().has_variable(variable)
}

/// Spells out the macros of optional values, which the parser does not know, and for the run the steps through them,
/// which the interpreter takes by index only.
fn program(mut written: IdedExpr) -> Program {
    visit(&mut written, &|expr| {
        let spelled = match &expr.expr {
            Expr::Call(call) => optional_macro(expr.id, call),
            _ => None,
        };
        if let Some(spelled) = spelled {
            expr.expr = spelled;
        }
    });
    let mut runs = written.clone();
    visit(&mut runs, &step);
    let is_deep = deep::depth(&runs) > deep::SHALLOW;
    Program { written, runs: meter::priced(runs), is_deep }
}

/// Visits every part, the inner ones first.
fn visit(expr: &mut IdedExpr, change: &impl Fn(&mut IdedExpr)) {
    match &mut expr.expr {
        Expr::Call(call) => {
            call.target.as_deref_mut().into_iter().chain(&mut call.args).for_each(|part| visit(part, change));
        }
        Expr::Select(select) => visit(&mut select.operand, change),
        Expr::List(list) => list.elements.iter_mut().for_each(|part| visit(part, change)),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    visit(&mut entry.key, change);
                    visit(&mut entry.value, change);
                }
            }
        }
        Expr::Comprehension(fold) => {
            for part in [&mut fold.iter_range, &mut fold.accu_init, &mut fold.loop_cond, &mut fold.loop_step] {
                visit(part, change);
            }
            visit(&mut fold.result, change);
        }
        _ => {}
    }
    change(expr);
}

/// Makes `a.?b`, and `.c` behind it, the index of an optional value.
fn step(expr: &mut IdedExpr) {
    let id = expr.id;
    let indexed = match &mut expr.expr {
        Expr::Call(call) if call.func_name == "_?._" => {
            call.func_name = "_[?_]".to_owned();
            return;
        }
        Expr::Select(select) if !select.test && is_optional(&select.operand) => {
            let field = Expr::Literal(LiteralValue::String(select.field.as_str().into()));
            let args = vec![std::mem::take(select.operand.as_mut()), IdedExpr { id, expr: field }];
            CallExpr { func_name: "_[?_]".to_owned(), target: None, args }
        }
        _ => return,
    };
    expr.expr = Expr::Call(indexed);
}

fn is_optional(expr: &IdedExpr) -> bool {
    matches!(&expr.expr, Expr::Call(call) if call.func_name == "_[?_]")
}

/// `a.optMap(x, f(x))` is `a.hasValue() ? optional.of(f(a.value())) : optional.none()`.
fn optional_macro(id: u64, call: &CallExpr) -> Option<Expr> {
    let (Some(target), [name, body]) = (&call.target, call.args.as_slice()) else { return None };
    let Expr::Ident(name) = &name.expr else { return None };
    let at = |expr| IdedExpr { id, expr };
    let of = |function: &str, target: IdedExpr, args| {
        at(Expr::Call(CallExpr { func_name: function.to_owned(), target: Some(Box::new(target)), args }))
    };
    let library = || at(Expr::Ident("optional".to_owned()));
    let bound = at(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: at(Expr::List(ListExpr::new(Vec::new()))),
        iter_var: "#unused".to_owned(),
        iter_var2: None,
        accu_var: name.clone(),
        accu_init: of("value", target.as_ref().clone(), Vec::new()),
        loop_cond: at(Expr::Literal(LiteralValue::Boolean(false.into()))),
        loop_step: at(Expr::Ident(name.clone())),
        result: body.clone(),
    })));
    let found = match call.func_name.as_str() {
        "optMap" => of("of", library(), vec![bound]),
        "optFlatMap" => bound,
        _ => return None,
    };
    let has = of("hasValue", target.as_ref().clone(), Vec::new());
    let args = vec![has, found, of("none", library(), Vec::new())];
    Some(Expr::Call(CallExpr { func_name: "_?_:_".to_owned(), target: None, args }))
}
