//! Evaluates the expressions of a policy over one write.

use std::sync::{Arc, OnceLock};

use kube_cel::cel::{ExecutionError, ResolveResult, Value as Cel};
use serde_json::Value;

use super::declared::{Declared, Returns};
use super::expression::untyped;
use super::program::{self, Program};
use super::{cost_meter, eval, message};

/// Maximum cost of all expressions of a policy for one write.
const BUDGET: u64 = 10_000_000;

/// The variables of a policy for one write.
#[derive(Debug)]
pub(crate) struct Policy {
    declared: Declared,
    values: Vec<(String, Cel)>,
    composed: Vec<Composed>,
    spent: u64,
}

/// A composed variable, which is evaluated when an expression first reads it.
#[derive(Debug)]
struct Composed {
    name: String,
    program: Result<Arc<Program>, String>,
    value: OnceLock<(ResolveResult, u64)>,
}

impl Policy {
    /// The values of the declared variables; variables without a value are undefined.
    pub(crate) fn new(declared: Declared, values: &[(&str, &Value)]) -> Self {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), untyped(value))).collect();
        Policy { declared, values, composed: Vec::new(), spent: 0 }
    }

    /// Adds a composed variable. If its expression does not compile, expressions that read it fail.
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        let program = self.declared.add(name, text).and_then(|()| program::parsed(text));
        self.composed.push(Composed { name: name.to_owned(), program, value: OnceLock::new() });
    }

    /// Evaluates an expression that returns a bool.
    ///
    /// # Errors
    /// The text of the error if the expression does not compile or fails.
    pub(crate) fn decide(&mut self, text: &str) -> Result<bool, String> {
        Ok(self.evaluate(text, Returns::Bool)? == Cel::Bool(true))
    }

    /// Evaluates an expression that returns a text; `None` stands for another value.
    ///
    /// # Errors
    /// As for [`Policy::decide`].
    pub(crate) fn text(&mut self, text: &str, returns: Returns) -> Result<Option<String>, String> {
        match self.evaluate(text, returns)? {
            Cel::String(text) => Ok(Some(text.as_str().to_owned())),
            _ => Ok(None),
        }
    }

    /// Whether the expressions so far exceeded the limit of all expressions together.
    pub(crate) fn is_exhausted(&self) -> bool {
        let composed = self.composed.iter().filter_map(|variable| Some(variable.value.get()?.1));
        composed.fold(self.spent, u64::saturating_add) > BUDGET
    }

    fn evaluate(&mut self, text: &str, returns: Returns) -> Result<Cel, String> {
        let uncompiled = |why: String| format!("compilation error: {why}");
        self.declared.check(text, returns).map_err(uncompiled)?;
        let program = program::parsed(text).map_err(uncompiled)?;
        let (given, cost) = eval::run_composed(&program, &self.values, &|name| self.composed(name));
        self.spent = self.spent.saturating_add(cost);
        given.map_err(|error| format!("expression '{text}' resulted in error: {}", failure(&error)))
    }

    fn composed(&self, name: &str) -> Option<ResolveResult> {
        let variable = self.composed.iter().find(|variable| variable.name == name)?;
        let (value, _) = variable.value.get_or_init(|| match &variable.program {
            Err(why) => (Err(broken(name, "compile", why)), 0),
            Ok(program) => {
                let (given, cost) = eval::run_composed(program, &self.values, &|name| self.composed(name));
                (given.map_err(|error| broken(name, "evaluate", &failure(&error))), cost)
            }
        });
        Some(value.clone())
    }
}

fn broken(name: &str, what: &str, why: &str) -> ExecutionError {
    ExecutionError::function_error("variables", format!("composited variable {name:?} fails to {what}: {why}"))
}

fn failure(error: &ExecutionError) -> String {
    if cost_meter::is_cancelled(error) { cost_meter::CANCELLED.to_owned() } else { message::failure(error) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(variables: &[(&str, &str)]) -> Policy {
        let object = json!({"spec": {"n": 7}});
        let mut policy = Policy::new(Declared::new(false), &[("object", &object), ("oldObject", &Value::Null)]);
        variables.iter().for_each(|(name, text)| policy.add(name, text));
        policy
    }

    #[test]
    fn a_variable_is_evaluated_when_it_is_read() {
        let mut policy = policy(&[("n", "object.spec.n"), ("double", "variables.n * 2"), ("bad", "object.spec.zz")]);
        assert_eq!(policy.decide("variables.double == 14"), Ok(true));
        assert_eq!(policy.decide("variables.n == 7 || variables.bad == 1"), Ok(true));
        assert!(policy.composed[2].value.get().is_none());
        let error = policy.decide("has(variables.bad)").unwrap_err();
        let expected = "expression 'has(variables.bad)' resulted in error: composited variable \"bad\" fails to evaluate: no such key: zz";
        assert_eq!(error, expected);
        let text = "string(variables.n) + ' ' + string(oldObject == null)";
        assert_eq!(policy.text(text, Returns::Text), Ok(Some("7 true".to_owned())));
    }

    #[test]
    fn a_variable_reads_only_earlier_ones() {
        let mut policy = policy(&[("a", "variables.b"), ("b", "1")]);
        let error = policy.decide("variables.a == 1").unwrap_err();
        assert!(error.contains("composited variable \"a\" fails to compile: compilation failed: ERROR"), "{error}");
        assert!(error.contains("undefined field 'b'"), "{error}");
    }

    #[test]
    fn the_cost_of_all_expressions_together_is_limited() {
        let mut policy = policy(&[]);
        let text = "lists.range(100).all(a, lists.range(600).all(b, b < 1000))";
        let count = (0..30).take_while(|_| policy.decide(text) == Ok(true) && !policy.is_exhausted()).count();
        assert!((5..29).contains(&count), "{count}");
    }
}
