//! A rule with both of its forms.

use evenkeel::rules::{Form, Registered, Request};
use serde_json::{Map, Value, json};

use super::case::Case;
use super::silent;
use crate::cel;
use crate::schema::{self, Structural};

/// The reason by which a rule that is false differs from one that cannot be evaluated.
const FALSE: &str = "FieldValueForbidden";
/// The same in a warning, for a part that is not changed.
const FALSE_IN_WORDS: &str = "Forbidden";

/// A rule, and how it is evaluated.
pub(super) struct Subject<'r> {
    pub(super) rule: &'r Registered,
    /// The rule and its kind, for messages.
    pub(super) name: String,
    /// The CEL.
    pub(super) text: String,
    /// The schema of the kind, with this rule only.
    pub(super) schema: Structural,
}

impl<'r> Subject<'r> {
    /// Prints the rule, and checks what an API server checks before it accepts it.
    pub(super) fn new(rule: &'r Registered) -> Result<Self, String> {
        let name = format!("the rule `{}` of {}", rule.declared.name, rule.kind.resource.kind);
        let mut definition = bare(rule).map_err(|error| format!("{name}: the CRD cannot be read: {error}"))?;
        rule.add_to(&mut definition).map_err(|error| error.to_string())?;
        let mut schema = schema_of(rule, &definition).ok_or_else(|| format!("{name}: the CRD has no schema"))?;
        let policy = rule.admission_policy().map_err(|error| error.to_string())?;
        let policy = policy.and_then(|policy| serde_json::to_value(policy.policy).ok());
        let text = match policy {
            Some(policy) => policy["spec"]["validations"][0]["expression"].as_str().unwrap_or_default().to_owned(),
            None => mark(&mut schema).unwrap_or_default(),
        };
        let schema = Structural::parse(&schema).map_err(|causes| {
            let causes: Vec<String> = causes.iter().map(ToString::to_string).collect();
            let help = "a field of Rust gets a limit by `#[schemars(length(max = 64))]`, and a map by \
                        `#[schemars(extend(\"maxProperties\" = 64))]`";
            format!("{name}: an API server rejects it\n  rule: {text}\n  {}\n  help: {help}", causes.join("\n  "))
        })?;
        Ok(Self { rule, name, text, schema })
    }

    pub(super) fn is_policy(&self) -> bool {
        self.rule.declared.form == Form::AdmissionPolicy
    }

    /// The object as an API server stores it, or why it does not.
    pub(super) fn stored(&self, mut object: Value) -> Result<Value, String> {
        let resource = &self.rule.kind.resource;
        object["apiVersion"] = json!(resource.api_version);
        object["kind"] = json!(resource.kind);
        schema::default(&mut object, &self.schema);
        match schema::validate(&object, None, &self.schema).first() {
            Some(cause) => Err(cause.to_string()),
            None => Ok(object),
        }
    }

    /// Whether both forms have the same result; `false` if the function has none. In an error, the two results.
    pub(super) fn compare(&self, case: &Case) -> Result<bool, [String; 2]> {
        let Some(rust) = self.in_rust(case) else { return Ok(false) };
        let cel = self.in_cel(case);
        // A rule that is not checked refuses nothing.
        match cel {
            Ok(holds) if holds == rust.unwrap_or(true) => Ok(rust.is_some()),
            Ok(holds) => Err([rust.map_or_else(|| "is not called".to_owned(), returns), returns(holds)]),
            Err(error) => Err([rust.map_or_else(|| "is not called".to_owned(), returns), format!("fails: {error}")]),
        }
    }

    /// The result of the function: `Some(None)` where the API server does not check the rule, `None` if it panics or the object does not fit.
    fn in_rust(&self, case: &Case) -> Option<Option<bool>> {
        let request: Request = serde_json::from_value(case.request.clone()).ok()?;
        silent::call(|| (self.rule.evaluate)(&case.new, case.old.as_ref(), &request))?.ok()
    }

    fn in_cel(&self, case: &Case) -> Result<bool, String> {
        if self.is_policy() {
            let old = case.old.as_ref().unwrap_or(&Value::Null);
            return cel::decide(&self.text, &[("object", &case.new), ("oldObject", old), ("request", &case.request)]);
        }
        let outcome = cel::run(&case.new, case.old.as_ref(), &self.schema, &[]);
        match outcome.causes.iter().find(|cause| cause.reason != FALSE) {
            Some(cause) => Err(cause.to_string()),
            None => {
                let errors = outcome.warnings.iter().find(|warning| !warning.contains(FALSE_IN_WORDS));
                errors.map_or(Ok(outcome.causes.is_empty() && outcome.warnings.is_empty()), |error| Err(error.clone()))
            }
        }
    }
}

fn returns(holds: bool) -> String {
    format!("returns {holds}")
}

/// The CRD without the rules of its author.
fn bare(
    rule: &Registered,
) -> serde_json::Result<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> {
    let mut definition = serde_json::to_value((rule.definition)())?;
    each_object(&mut definition, &mut |object| {
        object.remove("x-kubernetes-validations");
    });
    serde_json::from_value(definition)
}

fn schema_of(rule: &Registered, definition: &impl serde::Serialize) -> Option<Value> {
    let definition = serde_json::to_value(definition).ok()?;
    let versions = definition["spec"]["versions"].as_array()?;
    let version = versions.iter().find(|version| version["name"] == *rule.kind.resource.version)?;
    Some(version["schema"]["openAPIV3Schema"].clone()).filter(Value::is_object)
}

/// Gives the only rule the reason by which it is recognized, and returns its CEL.
fn mark(schema: &mut Value) -> Option<String> {
    let mut text = None;
    each_object(schema, &mut |object| {
        let rule = object.get_mut("x-kubernetes-validations").and_then(|rules| rules.get_mut(0));
        if let Some(rule) = rule.filter(|rule| rule.is_object()) {
            text = rule["rule"].as_str().map(str::to_owned);
            rule["reason"] = json!(FALSE);
        }
    });
    text
}

fn each_object(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            change(map);
            map.values_mut().for_each(|inner| each_object(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| each_object(inner, change)),
        _ => {}
    }
}
