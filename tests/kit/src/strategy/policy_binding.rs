//! The validation of bindings of admission policies.

use serde_json::Value;

use super::rules::{self, chosen, listed, selector_causes, text, texts};
use crate::api_error::quoted;
use crate::names;
use crate::schema::Cause;

/// Returns the errors of a ValidatingAdmissionPolicyBinding.
pub(super) fn causes(object: &Value) -> Vec<Cause> {
    let (spec, mut causes) = (&object["spec"], Vec::new());
    let policy = text(spec, "policyName");
    if policy.is_empty() {
        causes.push(Cause::required("spec.policyName", ""));
    } else {
        let wrong = names::subdomain(policy).into_iter();
        causes.extend(wrong.map(|why| Cause::invalid("spec.policyName", quoted(policy), why)));
    }
    if spec["paramRef"].is_object() {
        reference_causes(&spec["paramRef"], &mut causes);
    }
    if spec["matchResources"].is_object() {
        // An API server has this typing mistake in the name of the field.
        match_causes("spec.matchResouces", &spec["matchResources"], &mut causes);
    }
    action_causes(&texts(spec, "validationActions"), &mut causes);
    causes
}

/// Appends the errors of what a policy or a binding matches.
pub(super) fn match_causes(at: &str, resources: &Value, causes: &mut Vec<Cause>) {
    chosen(&format!("{at}.matchPolicy"), resources, "matchPolicy", &["Equivalent", "Exact"], causes);
    for selector in ["namespaceSelector", "objectSelector"] {
        selector_causes(&format!("{at}.{selector}"), &resources[selector], causes);
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        rules::causes(&format!("{at}.{rules}"), &resources[rules], causes);
    }
}

fn reference_causes(reference: &Value, causes: &mut Vec<Cause>) {
    let at = "spec.paramRef";
    let (name, selector) = (text(reference, "name"), &reference["selector"]);
    let (field, both) = (format!("{at}.name"), "name and selector are mutually exclusive");
    let wrong = if name.is_empty() { Vec::new() } else { names::segment(name) };
    causes.extend(wrong.into_iter().map(|why| Cause::invalid(&field, quoted(name), why)));
    if !name.is_empty() && selector.is_object() {
        causes.push(Cause::forbidden(&field, both));
    }
    if selector.is_object() {
        selector_causes(&format!("{at}.selector"), selector, causes);
        causes.extend((!name.is_empty()).then(|| Cause::forbidden(&format!("{at}.selector"), both)));
    } else if name.is_empty() {
        causes.push(Cause::required(at, "one of name or selector must be specified"));
    }
    let field = format!("{at}.parameterNotFoundAction");
    if text(reference, "parameterNotFoundAction").is_empty() {
        causes.push(Cause::required(&field, ""));
    }
    chosen(&field, reference, "parameterNotFoundAction", &["Deny", "Allow"], causes);
}

fn action_causes(actions: &[&str], causes: &mut Vec<Cause>) {
    let (at, known) = ("spec.validationActions", ["Audit", "Deny", "Warn"]);
    for (index, action) in actions.iter().enumerate() {
        let at = format!("{at}[{index}]");
        if !known.contains(action) {
            causes.push(Cause::unsupported(&at, quoted(action), &known.map(str::to_owned)));
        }
        if actions[..index].contains(action) {
            causes.push(Cause::duplicate(&at, quoted(action)));
        }
    }
    if actions.contains(&"Deny") && actions.contains(&"Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response \
                   and headers serves no purpose)";
        causes.push(Cause::invalid(at, listed("admissionregistration.ValidationAction", actions), why));
    }
    if actions.is_empty() {
        causes.push(Cause::required(at, "at least one validation action is required"));
    }
}
