//! Evaluates calls of operators, language functions and library functions.

use std::sync::Arc;

use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr};
use kube_cel::cel::{ExecutionError, ResolveResult, Value as Cel};
use regex::Regex;

use super::eval::{Run, is_constant, is_path, is_step};
use super::hidden_names::MAP_INSERT;
use super::list::plain;
use super::operators::{binary, inserted, sum, unary};
use super::{call_cost, cost_meter, optional_functions};

impl<'e> Run<'e> {
    pub(super) fn call(&mut self, call: &'e CallExpr) -> ResolveResult {
        match (call.func_name.as_str(), call.target.as_deref(), call.args.as_slice()) {
            ("_&&_", None, [a, b]) => self.decided(a, b, false),
            ("_||_", None, [a, b]) => self.decided(a, b, true),
            ("_?_:_", None, [condition, yes, no]) => match self.eval(condition)? {
                Cel::Bool(true) => self.branch(yes),
                Cel::Bool(false) => self.branch(no),
                _ => Err(ExecutionError::NoSuchOverload),
            },
            ("@not_strictly_false", None, [value]) => {
                let value = cost_meter::endured(self.eval(value))?;
                self.meter.pay(1)?;
                Ok(Cel::Bool(value != Ok(Cel::Bool(false))))
            }
            ("or" | "orValue", Some(target), [other]) => self.otherwise(call, target, other),
            _ => self.strict(call),
        }
    }

    /// Evaluates a branch of `a ? b : c`. A server does not count the cost of the name of a variable there.
    fn branch(&mut self, expr: &'e IdedExpr) -> ResolveResult {
        let given = self.eval(expr);
        if is_path(expr) {
            self.meter.give_back(1);
        }
        given
    }

    /// Evaluates `||` and `&&`. `||` is true if either side is true, even if the other side fails; `&&` is false likewise.
    fn decided(&mut self, a: &'e IdedExpr, b: &'e IdedExpr, by: bool) -> ResolveResult {
        let left = cost_meter::endured(self.eval(a))?;
        if left == Ok(Cel::Bool(by)) {
            return left;
        }
        match (left, cost_meter::endured(self.eval(b))?) {
            (_, Ok(Cel::Bool(right))) if right == by => Ok(Cel::Bool(by)),
            (Err(error), _) | (Ok(Cel::Bool(_)), Err(error)) => Err(error),
            (Ok(Cel::Bool(_)), Ok(Cel::Bool(right))) => Ok(Cel::Bool(right)),
            _ => Err(ExecutionError::NoSuchOverload),
        }
    }

    /// Evaluates a call that evaluates all its arguments.
    fn strict(&mut self, call: &'e CallExpr) -> ResolveResult {
        let library = self.library(call);
        let name = library.as_deref().unwrap_or(&call.func_name);
        let target = call.target.as_deref().filter(|_| library.is_none());
        let mut values = Vec::with_capacity(call.args.len() + 1);
        for (at, part) in target.into_iter().chain(&call.args).enumerate() {
            let is_taken = at == 0 && matches!(name, "_+_" | MAP_INSERT);
            values.push(if is_taken { self.taken(part)? } else { self.eval(part)? });
        }
        if !is_prepared(name, &call.args) {
            let begins = is_step(name) && !call.args.first().is_some_and(is_path);
            self.meter.pay(call_cost::before(name, &values) + u64::from(begins))?;
        }
        let given = self.applied(name, call, target.is_some(), values)?;
        self.meter.pay(call_cost::after(name, &given))?;
        Ok(given)
    }

    fn applied(&mut self, name: &str, call: &CallExpr, has_target: bool, values: Vec<Cel>) -> ResolveResult {
        if name == MAP_INSERT {
            return inserted(values);
        }
        if let Some(given) = optional_functions::applied(name, &values) {
            return given;
        }
        let given = match (name, values.as_slice()) {
            ("_+_", _) => return sum(values),
            ("split", [Cel::String(text), Cel::String(between), most @ ..]) if between.is_empty() => {
                return letters(text, most);
            }
            ("string", [Cel::Bool(truth)]) => return Ok(Cel::String(Arc::new(truth.to_string()))),
            ("matches", [Cel::String(text), Cel::String(pattern)]) => return self.matches(text, pattern),
            (_, [a]) => unary(name, a),
            (_, [a, b]) => binary(name, a, b),
            _ => None,
        };
        given.unwrap_or_else(|| self.library_call(call, has_target, &values))
    }

    fn matches(&mut self, text: &str, pattern: &str) -> ResolveResult {
        if let Some(pattern) = self.patterns.get(pattern) {
            return Ok(Cel::Bool(pattern.is_match(text)));
        }
        let read = Regex::new(pattern).map_err(|error| ExecutionError::function_error("matches", error))?;
        let is_match = read.is_match(text);
        self.patterns.insert(pattern.to_owned(), read);
        Ok(Cel::Bool(is_match))
    }

    /// Evaluates a function of the interpreter or of a Kubernetes library.
    fn library_call(&self, call: &CallExpr, has_target: bool, values: &[Cel]) -> ResolveResult {
        let mut context = self.functions.new_inner_scope();
        let mut named = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            let name = format!("@{at}");
            context.add_variable_from_value(name.as_str(), plain(value));
            named.push(IdedExpr { id: 0, expr: Expr::Ident(name) });
        }
        let target = match has_target {
            true => Some(Box::new(named.remove(0))),
            false => call.target.clone(),
        };
        let call = Expr::Call(CallExpr { func_name: call.func_name.clone(), target, args: named });
        Cel::resolve(&IdedExpr { id: 0, expr: call }, &context)
    }
}

/// Whether a server evaluates the call before the run: conversions of constants, and `in` with a constant list.
fn is_prepared(name: &str, args: &[IdedExpr]) -> bool {
    match (name, args) {
        ("bool" | "bytes" | "double" | "duration" | "int" | "string" | "timestamp" | "uint", [value]) => {
            matches!(value.expr, Expr::Literal(_))
        }
        ("@in", [_, list]) => is_constant(list),
        _ => false,
    }
}

/// Splits a text into characters; the last item contains the rest if there are more than the maximum.
fn letters(text: &str, most: &[Cel]) -> ResolveResult {
    let most = match most {
        [] => usize::MAX,
        [Cel::Int(most)] => usize::try_from(*most).unwrap_or(usize::MAX),
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    let mut rest = text.chars();
    let mut out: Vec<Cel> = Vec::new();
    while out.len() + 1 < most
        && let Some(letter) = rest.next()
    {
        out.push(letter.to_string().into());
    }
    if most > 0 && !rest.as_str().is_empty() {
        out.push(rest.as_str().into());
    }
    Ok(out.into())
}
