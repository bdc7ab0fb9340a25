//! Evaluates an expression over values and counts its cost.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, ListExpr, LiteralValue, SelectExpr,
};
use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, ExecutionError, ResolveResult, Value as Cel};
use regex::Regex;

use super::cost_meter::{self, Meter};
use super::hidden_names::ACCUMULATOR;
use super::library::FUNCTIONS;
use super::list::items;
use super::optional::{self, held};
use super::program::Program;
use super::{nesting, operators, signature};

/// Evaluates the expression with these variables, and returns the result and the cost.
///
/// The result is an error if the evaluation fails; for the cost limit it is [`cost_meter::CANCELLED`].
pub(super) fn run(program: &Program, variables: &[(String, Cel)]) -> (ResolveResult, u64) {
    nesting::roomy(program.is_deep, || {
        let mut run = Run::new(&FUNCTIONS, variables);
        let given = run.eval(&program.expr);
        (given, run.meter.spent())
    })
}

/// Returns the value of a composed variable, or `None` if there is no such variable.
pub(super) type Compose<'e> = &'e (dyn Fn(&str) -> Option<ResolveResult> + Sync);

/// Like [`run`]; fields of `variables` are composed variables.
pub(super) fn run_composed(
    program: &Program,
    variables: &[(String, Cel)],
    compose: Compose<'_>,
) -> (ResolveResult, u64) {
    nesting::roomy(program.is_deep, || {
        let mut run = Run { compose: Some(compose), ..Run::new(&FUNCTIONS, variables) };
        let given = run.eval(&program.expr);
        (given, run.meter.spent())
    })
}

/// One evaluation of one expression.
pub(super) struct Run<'e> {
    pub(super) functions: &'e Context<'static>,
    pub(super) meter: Meter,
    /// Patterns that are already compiled.
    pub(super) patterns: HashMap<String, Regex>,
    /// The composed variables of a policy.
    compose: Option<Compose<'e>>,
    /// The variables, innermost last. The accumulator of a fold may be an error.
    scope: Vec<(&'e str, ResolveResult)>,
}

impl<'e> Run<'e> {
    pub(super) fn new(functions: &'e Context<'static>, variables: &'e [(String, Cel)]) -> Self {
        let scope = variables.iter().map(|(name, value)| (name.as_str(), Ok(value.clone()))).collect();
        Self { functions, meter: Meter::default(), patterns: HashMap::new(), compose: None, scope }
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    /// If the evaluation fails, or exceeds the limit of the [`Meter`].
    pub(super) fn eval(&mut self, expr: &'e IdedExpr) -> ResolveResult {
        match &expr.expr {
            Expr::Literal(literal) => Ok(constant(literal)),
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.list(expr, list),
            Expr::Map(map) => self.map(expr, &map.entries),
            Expr::Comprehension(fold) => self.fold(fold),
            Expr::Struct(_) | Expr::Unspecified => Err(ExecutionError::NoSuchOverload),
        }
    }

    fn variable(&mut self, name: &str) -> Option<&mut ResolveResult> {
        self.scope.iter_mut().rev().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn ident(&mut self, name: &str) -> ResolveResult {
        match self.variable(name).map(|value| value.clone()) {
            Some(value) => self.meter.pay(1).and(value),
            None => operators::type_named(name).ok_or_else(|| ExecutionError::undeclared_reference(name)),
        }
    }

    /// The value of `variables.name` in a policy; `None` for other expressions.
    fn composed(&mut self, select: &SelectExpr) -> Option<ResolveResult> {
        let (compose, Expr::Ident(name)) = (self.compose?, &select.operand.expr) else { return None };
        if name != COMPOSED || self.variable(name).is_some() {
            return None;
        }
        let value = compose(&select.field)?;
        let value = if select.test { value.map(|_| Cel::Bool(true)) } else { value };
        Some(self.meter.pay(2).and(value))
    }

    fn select(&mut self, select: &'e SelectExpr) -> ResolveResult {
        if let Some(given) = self.composed(select) {
            return given;
        }
        let operand = self.eval(&select.operand)?;
        self.meter.pay(u64::from(!select.test) + u64::from(!is_path(&select.operand)))?;
        let key = Key::from(select.field.as_str());
        if let Some(held) = held(&operand) {
            let found = held.and_then(|held| operators::member(held, &key));
            return Ok(if select.test { Cel::Bool(found.is_some()) } else { optional::made(found) });
        }
        match &operand {
            Cel::Map(map) if select.test => Ok(Cel::Bool(map.get(&key).is_some())),
            Cel::Map(map) => map.get(&key).cloned().ok_or_else(|| ExecutionError::no_such_key(&select.field)),
            Cel::Null if !select.test => Err(ExecutionError::no_such_key(&select.field)),
            _ => Err(ExecutionError::NoSuchOverload),
        }
    }

    fn list(&mut self, expr: &IdedExpr, list: &'e ListExpr) -> ResolveResult {
        let mut out = Vec::with_capacity(list.elements.len());
        for (index, element) in list.elements.iter().enumerate() {
            let value = self.eval(element)?;
            match held(&value).filter(|_| list.optional_indices.contains(&index)) {
                Some(held) => out.extend(held.cloned()),
                None => out.push(value),
            }
        }
        self.meter.pay(if is_constant(expr) { 0 } else { LIST })?;
        Ok(Cel::List(Arc::new(out)))
    }

    fn map(&mut self, expr: &IdedExpr, entries: &'e [IdedEntryExpr]) -> ResolveResult {
        let mut out = HashMap::with_capacity(entries.len());
        for entry in entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(ExecutionError::NoSuchOverload) };
            let key = operators::key(&self.eval(&entry.key)?)?;
            let value = self.eval(&entry.value)?;
            match held(&value).filter(|_| entry.optional) {
                Some(held) => out.extend(held.map(|held| (key, held.clone()))),
                None => out.extend([(key, value)]),
            }
        }
        self.meter.pay(if is_constant(expr) { 0 } else { MAP })?;
        Ok(Cel::Map(Map { map: Arc::new(out) }))
    }

    fn fold(&mut self, fold: &'e ComprehensionExpr) -> ResolveResult {
        let range = self.eval(&fold.iter_range)?;
        let turns = turns(&range, fold.iter_var2.is_some())?;
        let start = self.eval(&fold.accu_init);
        let depth = self.scope.len();
        self.scope.push((&fold.accu_var, start));
        let given = self.turns(fold, turns).and_then(|()| self.eval(&fold.result));
        self.scope.truncate(depth);
        given
    }

    fn turns(&mut self, fold: &'e ComprehensionExpr, turns: Vec<Turn>) -> Result<(), ExecutionError> {
        let depth = self.scope.len();
        for (first, second) in turns {
            if self.eval(&fold.loop_cond)? != Cel::Bool(true) {
                break;
            }
            self.scope.push((&fold.iter_var, Ok(first)));
            self.scope.extend(fold.iter_var2.as_deref().zip(second.map(Ok)));
            let step = self.eval(&fold.loop_step);
            self.scope.truncate(depth);
            // A later iteration may decide an `||` or `&&` despite an error.
            self.scope[depth - 1].1 = cost_meter::endured(step)?;
        }
        Ok(())
    }

    /// Evaluates the first argument of a call that extends the accumulator of a fold: the accumulator is moved, not copied.
    pub(super) fn taken(&mut self, expr: &'e IdedExpr) -> ResolveResult {
        match &expr.expr {
            Expr::Ident(name) if name == ACCUMULATOR => {
                self.meter.pay(1)?;
                self.variable(name).map_or(Ok(Cel::Null), |value| std::mem::replace(value, Ok(Cel::Null)))
            }
            _ => self.eval(expr),
        }
    }

    /// The full name if the target of the call is only a part of the name, as in `lists.range(x)`.
    pub(super) fn library(&mut self, call: &CallExpr) -> Option<String> {
        let Some(Expr::Ident(prefix)) = call.target.as_deref().map(|target| &target.expr) else { return None };
        let name = format!("{prefix}.{}", call.func_name);
        (!signature::of(&name).is_empty() && self.variable(prefix).is_none()).then_some(name)
    }
}

/// The values of the loop variables in one iteration.
type Turn = (Cel, Option<Cel>);

/// The iterations over a list or map; maps are sorted by key.
fn turns(range: &Cel, is_pair: bool) -> Result<Vec<Turn>, ExecutionError> {
    if let Some(items) = items(range) {
        let turn = |(index, item): (usize, &Cel)| match is_pair {
            true => (Cel::Int(index as i64), Some(item.clone())),
            false => (item.clone(), None),
        };
        return Ok(items.iter().enumerate().map(turn).collect());
    }
    let Cel::Map(map) = range else { return Err(ExecutionError::NoSuchOverload) };
    let mut entries: Vec<(&Key, &Cel)> = map.map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    Ok(entries.into_iter().map(|(key, value)| (key.into(), is_pair.then(|| value.clone()))).collect())
}

/// The name under which expressions read composed variables.
pub(super) const COMPOSED: &str = "variables";

const LIST: u64 = 10;
const MAP: u64 = 30;

/// Whether the expression is a variable or an access path from one. A path that starts with another expression costs one more.
pub(super) fn is_path(expr: &IdedExpr) -> bool {
    match &expr.expr {
        Expr::Ident(_) => true,
        Expr::Select(select) => !select.test,
        Expr::Call(call) => is_step(&call.func_name),
        _ => false,
    }
}

/// Whether the operator accesses a part of a value.
pub(super) fn is_step(name: &str) -> bool {
    matches!(name, "_[_]" | "_[?_]" | "_?._")
}

/// Whether the expression is a literal, or a list or map of literals, which a server creates once before the evaluation.
pub(super) fn is_constant(expr: &IdedExpr) -> bool {
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

fn constant(literal: &LiteralValue) -> Cel {
    match literal {
        LiteralValue::Boolean(truth) => Cel::Bool(*truth.inner()),
        LiteralValue::Bytes(bytes) => Cel::Bytes(Arc::new(bytes.inner().to_vec())),
        LiteralValue::Double(number) => Cel::Float(*number.inner()),
        LiteralValue::Int(number) => Cel::Int(*number.inner()),
        LiteralValue::Null => Cel::Null,
        LiteralValue::String(text) => Cel::String(Arc::new(text.inner().to_owned())),
        LiteralValue::UInt(number) => Cel::UInt(*number.inner()),
    }
}
