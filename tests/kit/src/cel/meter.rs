//! What a rule costs while it runs: each part adds its price, and one that has spent too much comes to its end.

use std::cell::Cell;

use kube_cel::cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use kube_cel::cel::extractors::Arguments;
use kube_cel::cel::{Context, ExecutionError, ResolveResult, Value as Cel};

use super::program::Program;
use super::{deep, signature};

/// The most that one run of one expression may cost.
const RUN_LIMIT: u64 = 1_000_000;

/// What a server says of a run that cost too much.
pub(super) const CANCELLED: &str = "operation cancelled: actual cost limit exceeded";

/// Pays for a part that may or may not be run.
const PART: &str = "@part";
/// Pays for the condition of a turn of a loop, and for the turn if there is one.
const TURN: &str = "@turn";

const LIST: u64 = 10;
const MAP: u64 = 30;

thread_local! {
    /// A run neither waits nor changes threads.
    static SPENT: Cell<u64> = const { Cell::new(0) };
}

/// Runs the expression: what it gives, and what it cost.
///
/// # Errors
/// Those of the interpreter; of a run that costs too much its own words, see [`CANCELLED`].
pub(super) fn run(program: &Program, context: &Context<'_>) -> (ResolveResult, u64) {
    let (given, spent) = deep::roomy(program.is_deep, || {
        SPENT.set(0);
        (Cel::resolve(&program.runs, context), SPENT.get())
    });
    // An `||` may have taken the end of a loop for one of its errors.
    if spent > RUN_LIMIT { (Err(cancelled()), spent) } else { (given, spent) }
}

/// Whether the run came to an end because of its cost.
pub(super) fn is_cancelled(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { message, .. } if message == CANCELLED)
}

fn cancelled() -> ExecutionError {
    ExecutionError::function_error(TURN, CANCELLED)
}

/// Makes the functions known that the parts of an expression pay with.
pub(super) fn add_to(context: &mut Context<'static>) {
    context.add_function(PART, part);
    context.add_function(TURN, turn);
}

fn part(Arguments(args): Arguments) -> ResolveResult {
    match args.as_slice() {
        [Cel::UInt(cost), given] => paid(*cost).map(|()| given.clone()),
        _ => Err(ExecutionError::NoSuchOverload),
    }
}

fn turn(Arguments(args): Arguments) -> ResolveResult {
    match args.as_slice() {
        [Cel::UInt(asked), Cel::UInt(taken), Cel::Bool(goes_on)] => {
            paid(asked + if *goes_on { *taken } else { 0 }).map(|()| Cel::Bool(*goes_on))
        }
        _ => Err(ExecutionError::NoSuchOverload),
    }
}

fn paid(cost: u64) -> Result<(), ExecutionError> {
    SPENT.set(SPENT.get().saturating_add(cost));
    if SPENT.get() > RUN_LIMIT { Err(cancelled()) } else { Ok(()) }
}

/// The expression with its prices.
pub(super) fn priced(mut expr: IdedExpr) -> IdedExpr {
    apart(&mut expr);
    expr
}

/// A part that pays for itself.
fn apart(expr: &mut IdedExpr) {
    let cost = price(expr);
    if cost > 0 {
        wrap(expr, PART, &[cost]);
    }
}

/// What running the expression costs for certain; what may not be run pays for itself.
fn price(expr: &mut IdedExpr) -> u64 {
    if is_constant(expr) {
        return 0;
    }
    match &mut expr.expr {
        Expr::Ident(_) => 1,
        Expr::Select(select) => price(&mut select.operand) + u64::from(!select.test),
        Expr::List(list) => LIST + all(&mut list.elements),
        Expr::Map(map) => {
            let entries = map.entries.iter_mut().filter_map(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => Some(price(&mut entry.key) + price(&mut entry.value)),
                EntryExpr::StructField(_) => None,
            });
            MAP + entries.sum::<u64>()
        }
        Expr::Comprehension(fold) => {
            let (asked, taken) = (price(&mut fold.loop_cond), price(&mut fold.loop_step));
            wrap(&mut fold.loop_cond, TURN, &[asked, taken]);
            price(&mut fold.iter_range) + price(&mut fold.accu_init) + price(&mut fold.result)
        }
        Expr::Call(call) => call_price(call),
        _ => 0,
    }
}

/// Lists and maps of literals are made once, before the run.
fn is_constant(expr: &IdedExpr) -> bool {
    match &expr.expr {
        Expr::Literal(_) => true,
        Expr::List(list) => list.elements.iter().all(is_constant),
        Expr::Map(map) => map.entries.iter().all(|entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => is_constant(&entry.key) && is_constant(&entry.value),
            EntryExpr::StructField(_) => false,
        }),
        _ => false,
    }
}

fn call_price(call: &mut CallExpr) -> u64 {
    if matches!(call.func_name.as_str(), "_&&_" | "_||_" | "_?_:_") {
        let (first, rest) = call.args.split_at_mut(1);
        rest.iter_mut().for_each(apart);
        return all(first);
    }
    let is_library = is_library(call);
    let target = call.target.as_deref_mut().filter(|_| !is_library).map_or(0, price);
    1 + target + all(&mut call.args)
}

/// Whether what the call is made on is but a part of its name, as in `math.abs(x)`.
fn is_library(call: &CallExpr) -> bool {
    let Some(Expr::Ident(prefix)) = call.target.as_deref().map(|target| &target.expr) else { return false };
    !signature::of(&format!("{prefix}.{}", call.func_name)).is_empty()
}

fn all(parts: &mut [IdedExpr]) -> u64 {
    parts.iter_mut().map(price).sum()
}

fn wrap(expr: &mut IdedExpr, name: &str, costs: &[u64]) {
    let id = expr.id;
    let cost = |cost: &u64| IdedExpr { id, expr: Expr::Literal(LiteralValue::UInt((*cost).into())) };
    let mut args: Vec<IdedExpr> = costs.iter().map(cost).collect();
    args.push(std::mem::take(expr));
    expr.id = id;
    expr.expr = Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args });
}
