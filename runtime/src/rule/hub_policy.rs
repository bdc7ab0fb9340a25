//! Prints a rule of a CRD as a ValidatingAdmissionPolicy as well, for a kind with several versions.
//!
//! The API server checks the rules of a CRD only for requests in their own version: what is written in another version is converted, and stored
//! without a check. A policy with `matchPolicy: Equivalent` gets the converted object.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::json;

use super::admission_policy::AdmissionPolicy;
use super::cel::{Printer, Problem, RuleError, find, path, policy_member};
use super::expression::{Expression, Parameter};
use super::registered::{Form, Registered};

impl Registered {
    /// The rule of a CRD as a policy; `None` for a rule that is one anyway.
    ///
    /// # Errors
    /// The rule cannot be printed for the schema of its kind.
    pub(crate) fn hub_policy(&self) -> Result<Option<AdmissionPolicy>, RuleError> {
        match self.declared.form {
            Form::Definition => self.print_hub_policy().map(Some).map_err(|problem| RuleError::new(self, problem)),
            Form::AdmissionPolicy => Ok(None),
        }
    }

    fn print_hub_policy(&self) -> Result<AdmissionPolicy, Problem> {
        let declared = &self.declared;
        let schema = self.policy_schema()?;
        let names = path(&schema, declared.at)?;
        let [(new, new_tests), (old, old_tests)] =
            [located("object", &schema, &names)?, located("oldObject", &schema, &names)?];
        let part = names.iter().try_fold(&schema, |at, name| find(at, name).map(|(_, inner)| inner))?;
        let rule = Printer::of_parts(part, &[new.clone(), old.clone()]).print(declared.expression)?;
        let mut unless = negated(&new_tests);
        if uses_old(declared.expression) {
            unless.push("oldObject == null".to_owned());
            unless.extend(negated(&old_tests));
        }
        let expression = match unless.is_empty() {
            true => rule,
            false => format!("{} || ({rule})", unless.join(" || ")),
        };
        let field = path(part, declared.field)?;
        let place = names.into_iter().chain(field).collect::<Vec<_>>().join(".");
        let message = declared.message.map(|message| format!("{place}: {message}"));
        let validation = json!({ "expression": expression, "message": message, "reason": "Invalid" });
        let condition = format!("request.operation != 'UPDATE' || {}", changed(&new, &old, &new_tests, &old_tests));
        self.policy_of(&validation, &[json!({ "name": "changed", "expression": condition })])
    }
}

/// The part of an object at a path of properties, and the tests that it is there.
fn located(root: &str, schema: &JSONSchemaProps, names: &[String]) -> Result<(String, Vec<String>), Problem> {
    let (mut at, mut code, mut tests) = (schema, root.to_owned(), Vec::new());
    for name in names {
        let (_, inner) = find(at, name)?;
        let (member, test) = policy_member(&code, name)?;
        let is_required = at.required.iter().flatten().any(|required| required == name);
        if !is_required {
            tests.push(test);
        }
        if inner.nullable == Some(true) {
            tests.push(format!("{member} != null"));
        }
        (at, code) = (inner, member);
    }
    Ok((code, tests))
}

fn negated(tests: &[String]) -> Vec<String> {
    tests.iter().map(|test| format!("!({test})")).collect()
}

/// Whether an update changes the part: the finalizer of an object that has become invalid can then still be removed.
fn changed(new: &str, old: &str, new_tests: &[String], old_tests: &[String]) -> String {
    if new_tests.is_empty() {
        return format!("{new} != {old}");
    }
    let all = |tests: &[String]| tests.join(" && ");
    let (new_is_there, old_is_there) = (all(new_tests), all(old_tests));
    format!("({new_is_there}) != ({old_is_there}) || {new_is_there} && {old_is_there} && {new} != {old}")
}

fn uses_old(expression: &Expression) -> bool {
    let mut found = false;
    expression.visit(&mut |part| found |= matches!(part, Expression::Parameter(Parameter::Old)));
    found
}
