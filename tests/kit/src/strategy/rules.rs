//! The validation of the rules and selectors of webhooks and admission policies.

use serde_json::Value;

use crate::api_error::quoted;
use crate::schema::Cause;
use crate::selector::{Labels, printed};

pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

pub(super) fn texts<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    value[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Appends the errors of a list of rules.
pub(super) fn causes(at: &str, rules: &Value, causes: &mut Vec<Cause>) {
    for (index, rule) in rules.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}[{index}]");
        let operations = texts(rule, "operations");
        let star = |field: &str| (texts(rule, field).contains(&"*") && texts(rule, field).len() > 1).then_some(());
        required(&format!("{at}.operations"), &operations, causes);
        if star("operations").is_some() {
            let given = listed("admissionregistration.OperationType", &operations);
            let why = "if '*' is present, must not specify other operations";
            causes.push(Cause::invalid(&format!("{at}.operations"), given, why));
        }
        let known = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
        for (index, operation) in operations.iter().enumerate().filter(|(_, operation)| !known.contains(operation)) {
            let at = format!("{at}.operations[{index}]");
            causes.push(Cause::unsupported(&at, quoted(operation), &known.map(str::to_owned)));
        }
        for (field, what) in [("apiGroups", "groups"), ("apiVersions", "versions")] {
            required(&format!("{at}.{field}"), &texts(rule, field), causes);
            if star(field).is_some() {
                let why = format!("if '*' is present, must not specify other API {what}");
                causes.push(Cause::invalid(&format!("{at}.{field}"), listed("string", &texts(rule, field)), why));
            }
        }
        resource_causes(&format!("{at}.resources"), &texts(rule, "resources"), causes);
        chosen(&format!("{at}.scope"), rule, "scope", &["*", "Cluster", "Namespaced"], causes);
    }
}

fn required(at: &str, given: &[&str], causes: &mut Vec<Cause>) {
    if given.is_empty() {
        causes.push(Cause::required(at, ""));
    }
}

fn resource_causes(at: &str, resources: &[&str], causes: &mut Vec<Cause>) {
    required(at, resources, causes);
    if resources.len() > 1 && resources.contains(&"*/*") {
        let why = "if '*/*' is present, must not specify other resources";
        causes.push(Cause::invalid(at, listed("string", resources), why));
    }
    if resources.contains(&"*") && resources.iter().any(|resource| *resource != "*" && !resource.contains('/')) {
        let why = "if '*' is present, must not specify other resources without subresources";
        causes.push(Cause::invalid(at, listed("string", resources), why));
    }
}

/// Appends the errors of a label selector.
pub(super) fn selector_causes(at: &str, selector: &Value, causes: &mut Vec<Cause>) {
    const KNOWN: [&str; 4] = ["DoesNotExist", "Exists", "In", "NotIn"];
    let before = causes.len();
    for (index, term) in selector["matchExpressions"].as_array().into_iter().flatten().enumerate() {
        let (operator, values) = (text(term, "operator"), texts(term, "values"));
        let at = format!("{at}.matchExpressions[{index}]");
        match operator {
            "In" | "NotIn" if values.is_empty() => {
                let why = "must be specified when `operator` is 'In' or 'NotIn'";
                causes.push(Cause::required(&format!("{at}.values"), why));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(Cause::forbidden(&format!("{at}.values"), why));
            }
            operator if !KNOWN.contains(&operator) => {
                causes.push(Cause::invalid(
                    &format!("{at}.operator"),
                    quoted(operator),
                    "not a valid selector operator",
                ));
            }
            _ => {}
        }
    }
    if causes.len() == before
        && let Err(why) = Labels::parse(&printed(selector))
    {
        causes.push(Cause::invalid(at, selector, why));
    }
}

/// Rejects an unknown value; an absent one has a default.
pub(super) fn chosen(at: &str, value: &Value, field: &str, known: &[&str], causes: &mut Vec<Cause>) {
    let chosen = text(value, field);
    if !chosen.is_empty() && !known.contains(&chosen) {
        causes.push(Cause::unsupported(
            at,
            quoted(chosen),
            &known.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>(),
        ));
    }
}

/// A list of texts as Go prints it in messages.
pub(super) fn listed(kind: &str, values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    format!("[]{kind}{{{}}}", values.join(", "))
}
