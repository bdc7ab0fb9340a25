//! Prints rules about a whole object and its request as ValidatingAdmissionPolicies.

use std::collections::BTreeSet;

use k8s_openapi::api::admissionregistration::v1::{ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

use super::cel::{Dialect, Printer, Problem, RuleError, find, metadata, part};
use super::expression::{Expression, Parameter};
use super::registered::{Declared, Form, Registered};

/// A rule of a policy, as the two objects of Kubernetes 1.30 and later.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AdmissionPolicy {
    /// The expression, and the kind to which it applies.
    pub policy: ValidatingAdmissionPolicy,
    /// Puts the policy into force.
    pub binding: ValidatingAdmissionPolicyBinding,
}

impl Registered {
    /// The policy of the rule; `None` for a rule of a CRD.
    ///
    /// # Errors
    /// The rule cannot be printed for the schema of its kind.
    pub fn admission_policy(&self) -> Result<Option<AdmissionPolicy>, RuleError> {
        match self.declared.form {
            Form::Definition => Ok(None),
            Form::AdmissionPolicy => self.policy().map(Some).map_err(|problem| RuleError::new(self, problem)),
        }
    }

    fn policy(&self) -> Result<AdmissionPolicy, Problem> {
        let schema = self.policy_schema()?;
        let conditions = self.condition(&schema)?.into_iter().collect::<Vec<_>>();
        let expression = Printer::new(Dialect::Policy, &schema).print(self.declared.expression)?;
        let Declared { message, reason, .. } = self.declared;
        let validation = json!({ "expression": expression, "message": message, "reason": reason });
        self.policy_of(&validation, &conditions)
    }

    /// The policy with this validation, and its binding.
    pub(super) fn policy_of(&self, validation: &Value, conditions: &[Value]) -> Result<AdmissionPolicy, Problem> {
        let metadata = json!({ "name": self.policy_name() });
        let policy = json!({
            "metadata": metadata,
            "spec": {
                "failurePolicy": "Fail",
                "matchConditions": conditions,
                "matchConstraints": self.constraints(),
                "validations": [validation],
            },
        });
        let binding = json!({
            "metadata": metadata,
            "spec": { "policyName": self.policy_name(), "validationActions": ["Deny"] },
        });
        // From JSON, since the optional fields of these types depend on the version of k8s-openapi.
        let unreadable = |error| Problem::no_form(format!("the policy does not fit its type: {error}"));
        Ok(AdmissionPolicy {
            policy: serde_json::from_value(policy).map_err(unreadable)?,
            binding: serde_json::from_value(binding).map_err(unreadable)?,
        })
    }

    /// The name of the function and the resource, as a DNS subdomain.
    pub(super) fn policy_name(&self) -> String {
        let words: Vec<&str> = self.declared.name.split('_').filter(|word| !word.is_empty()).collect();
        let resource = &self.kind.resource;
        format!("{}.{}.{}", words.join("-").to_lowercase(), resource.plural, resource.group)
    }

    /// The schema of the whole object, with the metadata that the schema of a CRD leaves out.
    pub(super) fn policy_schema(&self) -> Result<JSONSchemaProps, Problem> {
        let mut definition = (self.definition)();
        let mut schema = part(&mut definition, &self.kind.resource.version)?.clone();
        let properties = schema.properties.get_or_insert_default();
        properties.insert("metadata".to_owned(), metadata());
        schema.required.get_or_insert_default().push("metadata".to_owned());
        Ok(schema)
    }

    pub(super) fn constraints(&self) -> Value {
        let resource = &self.kind.resource;
        let rule = json!({
            "apiGroups": [resource.group],
            "apiVersions": [resource.version],
            "resources": [resource.plural],
            "operations": ["CREATE", "UPDATE"],
            "scope": "*",
        });
        json!({ "matchPolicy": "Equivalent", "resourceRules": [rule] })
    }

    /// Leaves out an update that changes nothing of what the rule reads: the finalizer of an object that has become invalid can then still be
    /// removed.
    fn condition(&self, schema: &JSONSchemaProps) -> Result<Option<Value>, Problem> {
        let mut changes = Vec::new();
        for part in parts_read(self.declared.expression) {
            changes.push(changed(schema, &part)?);
        }
        let expression = format!("request.operation != 'UPDATE' || {}", changes.join(" || "));
        Ok((!changes.is_empty()).then(|| json!({ "name": "changed", "expression": expression })))
    }
}

/// The parts of the new object that the expression reads: fields at the top, and those of metadata. Empty if it reads the object as a whole.
fn parts_read(expression: &Expression) -> BTreeSet<Vec<&'static str>> {
    let (mut parts, mut uses, mut whole) = (BTreeSet::new(), 0, 0);
    expression.visit(&mut |part| match part {
        Expression::Parameter(Parameter::New) => whole += 1,
        Expression::Field(Expression::Parameter(Parameter::New), name) if *name != "metadata" => {
            uses += 1;
            parts.insert(vec![*name]);
        }
        Expression::Field(Expression::Field(Expression::Parameter(Parameter::New), "metadata"), name) => {
            uses += 1;
            parts.insert(vec!["metadata", *name]);
        }
        _ => {}
    });
    if uses == whole { parts } else { BTreeSet::new() }
}

/// Whether an update changes this part.
fn changed(schema: &JSONSchemaProps, part: &[&str]) -> Result<String, Problem> {
    let (mut at, mut path, mut tests) = (schema, String::new(), Vec::new());
    for name in part {
        let (property, inner) = find(at, name)?;
        let is_required = at.required.iter().flatten().any(|required| required == property);
        path = format!("{path}.{property}");
        if !is_required {
            tests.push(path.clone());
        }
        at = inner;
    }
    let differs = format!("object{path} != oldObject{path}");
    Ok(match tests.last() {
        Some(path) => {
            format!("has(object{path}) != has(oldObject{path}) || has(object{path}) && {differs}")
        }
        None => differs,
    })
}
