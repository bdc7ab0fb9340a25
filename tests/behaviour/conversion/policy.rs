//! Rules of a kind with several versions: each is a policy as well, since the CRD is not asked for writes in another version.

use evenkeel::Operator;
use evenkeel::prelude::*;
use serde_json::{Value, json};

use super::kinds::v1::{Limits, RepoSpec};
use super::kinds::{operator, repo, v1, v1beta1};

#[rule(of = v1::Repo, at = spec, field = every_seconds, message = "an interval has at least 10 seconds")]
pub(crate) fn not_too_often(new: &RepoSpec) -> bool {
    new.every_seconds >= 10
}

#[rule(of = v1::Repo, at = spec.limits, message = "a limit of megabytes cannot be lowered")]
pub(crate) fn limits_grow(new: &Limits, old: &Limits) -> bool {
    old.megabytes.is_none() || new.megabytes.is_some()
}

pub(crate) type All = (not_too_often, limits_grow);

fn policies(operator: &Operator) -> Vec<Value> {
    operator.admission_policies().iter().map(|one| serde_json::to_value(&one.policy).unwrap()).collect()
}

#[test]
fn a_rule_is_printed_into_the_crd_and_as_a_policy_of_the_stored_version() {
    let operator = operator().rules::<All>();
    let definition = serde_json::to_value(operator.definitions().remove(0)).unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    assert_eq!(schema["x-kubernetes-validations"].as_array().unwrap().len(), 1);
    let policies = policies(&operator);
    let rule = |at: usize| &policies[at]["spec"];
    assert_eq!(policies[0]["metadata"]["name"], "not-too-often.repos.convert.tests.evenkeel.dev");
    assert_eq!(
        rule(0)["validations"],
        json!([{
            "expression": "object.spec.everySeconds >= 10", "reason": "Invalid",
            "message": "spec.everySeconds: an interval has at least 10 seconds",
        }])
    );
    assert_eq!(
        rule(0)["matchConditions"],
        json!([{ "name": "changed", "expression": "request.operation != 'UPDATE' || object.spec != oldObject.spec" }])
    );
    assert_eq!(rule(0)["matchConstraints"]["matchPolicy"], "Equivalent");
    assert_eq!(rule(0)["matchConstraints"]["resourceRules"][0]["apiVersions"], json!(["v1"]));
    let expression = rule(1)["validations"][0]["expression"].as_str().unwrap();
    let wanted = "!(has(object.spec.limits)) || oldObject == null || !(has(oldObject.spec.limits)) || (";
    assert!(expression.starts_with(wanted), "{expression}");
}

#[test]
fn without_further_versions_a_rule_is_only_in_the_crd() {
    assert_eq!(policies(&Operator::new("converter").reconciler::<repo>(()).rules::<All>()), [] as [Value; 0]);
    let one = Operator::new("converter").reconciler::<repo>(()).serves::<v1beta1::Repo>().rules::<All>();
    assert_eq!(policies(&one).len(), 2);
}
