//! The validation of admission policies.

use serde_json::Value;

use super::policy_binding::match_causes;
use super::rules::{chosen, text};
use crate::api_error::quoted;
use crate::cel::{Declared, Returns};
use crate::names;
use crate::registry::split;
use crate::schema::Cause;

/// Returns the errors of a ValidatingAdmissionPolicy.
pub(super) fn causes(object: &Value) -> Vec<Cause> {
    let (spec, mut causes) = (&object["spec"], Vec::new());
    chosen("spec.failurePolicy", spec, "failurePolicy", &["Fail", "Ignore"], &mut causes);
    let has_params = spec["paramKind"].is_object();
    if has_params {
        kind_causes(&spec["paramKind"], &mut causes);
    }
    constraint_causes(&spec["matchConstraints"], &mut causes);
    let mut declared = Declared::new(has_params);
    condition_causes(spec, &declared, &mut causes);
    variable_causes(spec, &mut declared, &mut causes);
    let (validations, annotations) = (list(spec, "validations"), list(spec, "auditAnnotations"));
    if validations.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        causes.extend(["validations", "auditAnnotations"].map(|field| Cause::required(&format!("spec.{field}"), why)));
    }
    for (index, validation) in validations.iter().enumerate() {
        validation_causes(&format!("spec.validations[{index}]"), validation, &declared, &mut causes);
    }
    annotation_causes(annotations, &declared, &mut causes);
    causes
}

fn list<'a>(spec: &'a Value, field: &str) -> &'a [Value] {
    spec[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn kind_causes(kind: &Value, causes: &mut Vec<Cause>) {
    let (api_version, kind) = (text(kind, "apiVersion"), text(kind, "kind"));
    let at = "spec.paramKind.apiVersion";
    let (group, version) = split(api_version);
    if api_version.is_empty() {
        causes.push(Cause::required(at, ""));
    } else if version.contains('/') {
        causes.push(Cause::invalid(at, quoted(api_version), format!("unexpected GroupVersion string: {api_version}")));
    } else {
        let wrong = if group.is_empty() { Vec::new() } else { names::subdomain(group) };
        causes.extend((!wrong.is_empty()).then(|| Cause::invalid(at, quoted(group), wrong.join(","))));
        let wrong = names::service(version);
        causes.extend((!wrong.is_empty()).then(|| Cause::invalid(at, quoted(version), wrong.join(","))));
    }
    let at = "spec.paramKind.kind";
    let wrong = names::service(&kind.to_lowercase()).join(",");
    if kind.is_empty() {
        causes.push(Cause::required(at, ""));
    } else if !wrong.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {wrong}");
        causes.push(Cause::invalid(at, quoted(kind), why));
    }
}

fn constraint_causes(constraints: &Value, causes: &mut Vec<Cause>) {
    let at = "spec.matchConstraints";
    if !constraints.is_object() {
        return causes.push(Cause::required(at, ""));
    }
    match_causes(at, constraints, causes);
    if list(constraints, "resourceRules").is_empty() {
        causes.push(Cause::required(&format!("{at}.resourceRules"), ""));
    }
}

/// Checks an expression that must be present.
fn expression_causes(at: &str, expression: &str, why: &str, checked: Result<(), String>, causes: &mut Vec<Cause>) {
    if expression.trim().is_empty() {
        causes.push(Cause::required(at, why));
    } else if let Err(error) = checked {
        causes.push(Cause::invalid(at, quoted(expression), error));
    }
}

fn condition_causes(spec: &Value, declared: &Declared, causes: &mut Vec<Cause>) {
    let conditions = list(spec, "matchConditions");
    if conditions.len() > 64 {
        causes.push(Cause::too_many("spec.matchConditions", conditions.len() as u64, 64));
    }
    for (index, condition) in conditions.iter().enumerate() {
        let at = format!("spec.matchConditions[{index}]");
        let (name, expression) = (text(condition, "name"), text(condition, "expression").trim());
        let checked = declared.check(expression, Returns::Bool);
        expression_causes(&format!("{at}.expression"), expression, "", checked, causes);
        let at = format!("{at}.name");
        if name.is_empty() {
            causes.push(Cause::required(&at, ""));
        }
        if conditions[..index].iter().any(|other| !name.is_empty() && text(other, "name") == name) {
            causes.push(Cause::duplicate(&at, quoted(name)));
        }
    }
}

fn variable_causes(spec: &Value, declared: &mut Declared, causes: &mut Vec<Cause>) {
    for (index, variable) in list(spec, "variables").iter().enumerate() {
        let at = format!("spec.variables[{index}]");
        let (name, expression) = (text(variable, "name"), text(variable, "expression"));
        if name.trim().is_empty() {
            causes.push(Cause::required(&format!("{at}.name"), "name is not specified"));
        } else if !is_identifier(name) {
            let why = "name is not a valid CEL identifier";
            causes.push(Cause::invalid(&format!("{at}.name"), quoted(name), why));
        }
        let checked = declared.add(name, expression);
        expression_causes(&format!("{at}.expression"), expression, "expression is not specified", checked, causes);
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    name.starts_with(is_letter) && name.chars().all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

fn validation_causes(at: &str, validation: &Value, declared: &Declared, causes: &mut Vec<Cause>) {
    const REASONS: [&str; 4] = ["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"];
    let (expression, message) = (text(validation, "expression"), text(validation, "message"));
    let checked = declared.check(expression, Returns::Bool);
    expression_causes(&format!("{at}.expression"), expression, "expression is not specified", checked, causes);
    let (computed, field) = (text(validation, "messageExpression"), format!("{at}.messageExpression"));
    if !computed.is_empty() && computed.trim().is_empty() {
        causes.push(Cause::invalid(&field, quoted(computed), "must be non-empty if specified"));
    } else if let (false, Err(error)) = (computed.is_empty(), declared.check(computed, Returns::Text)) {
        causes.push(Cause::invalid(&field, quoted(computed), error));
    }
    let field = format!("{at}.message");
    if !message.is_empty() && message.trim().is_empty() {
        causes.push(Cause::invalid(&field, quoted(message), "message must be non-empty if specified"));
    } else if message.trim().contains(['\n', '\r']) {
        causes.push(Cause::invalid(&field, quoted(message), "message must not contain line breaks"));
    }
    chosen(&format!("{at}.reason"), validation, "reason", &REASONS, causes);
}

fn annotation_causes(annotations: &[Value], declared: &Declared, causes: &mut Vec<Cause>) {
    for (index, annotation) in annotations.iter().enumerate() {
        let at = format!("spec.auditAnnotations[{index}]");
        let (key, expression) = (text(annotation, "key"), text(annotation, "valueExpression"));
        let checked = declared.check(expression, Returns::TextOrNull);
        let field = format!("{at}.valueExpression");
        expression_causes(&field, expression, "valueExpression is not specified", checked, causes);
        if annotations[..index].iter().any(|other| text(other, "key") == key) {
            causes.push(Cause::duplicate(&format!("{at}.key"), quoted(key)));
        }
    }
}
