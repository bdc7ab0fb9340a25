//! The rules of an operator: each belongs to a reconciled kind, and can be printed for its schema.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::error::{Error, Reason, Result};
use super::registration::Registration;
use crate::api::grant::plural_and_group;
use crate::rule::{Registered, RuleError};

/// Rejects a rule of a kind that is not reconciled, one that cannot be printed, and one of two with the same name.
pub(super) fn check(rules: &[Registered], members: &[Box<dyn Registration>]) -> Result {
    if rules.is_empty() {
        return Ok(());
    }
    let mut definitions: Vec<CustomResourceDefinition> =
        members.iter().filter_map(|member| member.definition()).collect();
    for (at, rule) in rules.iter().enumerate() {
        check_kind(rule, members)?;
        check_name(rule, &rules[..at])?;
        if let Some(definition) = of(rule, &mut definitions) {
            rule.add_to(definition).map_err(setup)?;
        }
        rule.admission_policy().map_err(setup)?;
    }
    Ok(())
}

/// Adds the rule to the CRD of its kind, if it can be printed.
pub(super) fn add(rule: &Registered, definitions: &mut [CustomResourceDefinition]) {
    if let Some(definition) = of(rule, definitions) {
        // The start of the operator reports the error.
        let _ = rule.add_to(definition);
    }
}

fn of<'d>(
    rule: &Registered,
    definitions: &'d mut [CustomResourceDefinition],
) -> Option<&'d mut CustomResourceDefinition> {
    let resource = &rule.kind.resource;
    let name = plural_and_group(&resource.plural, &resource.group);
    definitions.iter_mut().find(|definition| definition.metadata.name.as_ref() == Some(&name))
}

fn check_kind(rule: &Registered, members: &[Box<dyn Registration>]) -> Result {
    let is_own = |member: &dyn Registration| member.identity().kind == rule.kind && member.definition().is_some();
    if members.iter().any(|member| is_own(&**member)) {
        return Ok(());
    }
    let (name, kind) = (rule.declared.name, &rule.kind.resource);
    let mut kinds: Vec<String> = members.iter().map(|member| described(&member.identity().kind.resource)).collect();
    kinds.dedup();
    let reconciled = if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") };
    let headline = format!("the rule `{name}` is about {}, but this operator reconciles {reconciled}", described(kind));
    let help = format!("reconcile {} in this operator, or leave the rule out of `rules::<..>()`", kind.kind);
    Err(Error::new(Reason::Setup, headline, help))
}

fn described(resource: &kube::core::ApiResource) -> String {
    format!("{} ({})", resource.kind, resource.api_version)
}

/// Two policies of one name would overwrite each other; two rules of a CRD with one name are one by mistake.
fn check_name(rule: &Registered, earlier: &[Registered]) -> Result {
    let is_same = |other: &&Registered| other.declared.name == rule.declared.name && other.kind == rule.kind;
    if earlier.iter().find(is_same).is_none() {
        return Ok(());
    }
    let (name, kind) = (rule.declared.name, &rule.kind.resource.kind);
    let headline = format!("two rules of {kind} have the name `{name}`");
    Err(Error::new(Reason::Setup, headline, "list each rule once in `rules::<..>()`, and rename one of two functions"))
}

pub(super) fn setup(error: RuleError) -> Error {
    Error::new(Reason::Setup, error.headline.clone(), error.help.clone()).caused_by(error)
}
