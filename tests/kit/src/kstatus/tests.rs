//! Comparisons of check and computation with recorded results of the reference implementation.

use std::path::Path;

use serde_json::{Value, json};

use super::{Mode, Observed, Rule, check, compute};

fn recorded(name: &str) -> Option<Vec<Value>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/flux").join(name);
    let cases = serde_json::from_str::<Value>(&std::fs::read_to_string(file).ok()?).ok()?;
    cases["cases"].as_array().cloned()
}

fn object(generation: &Value, observed: &Value, conditions: &Value) -> Value {
    json!({"metadata": {"generation": generation}, "status": {"observedGeneration": observed, "conditions": conditions}})
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn each_rule_agrees_with_the_reference() {
    let Some(cases) = recorded("kstatus_checks.json") else {
        eprintln!("skipped: no recorded cases beside the repository");
        return;
    };
    assert!(!cases.is_empty());
    for case in &cases {
        let input = &case["input"];
        let obj = object(&input["generation"], &input["statusObservedGeneration"], &input["conditions"]);
        let id = input["check"].as_str().unwrap();
        let mode = if id == "FAIL0011" { Mode::InProgress } else { Mode::Final };
        let found = check(&obj, &texts(&input["negativePolarity"]), mode);
        let violation = found.iter().find(|violation| violation.rule.id() == id);
        assert_eq!(violation.is_some(), case["expect"]["violated"] == true, "{}: {found:?}", case["name"]);
        let text = violation.map(|violation| violation.text.clone()).unwrap_or_default();
        for word in texts(&case["expect"]["mentions"]) {
            assert!(text.contains(word), "{}: {text}", case["name"]);
        }
        for word in texts(&case["expect"]["doesNotMention"]) {
            assert!(!text.contains(word), "{}: {text}", case["name"]);
        }
    }
}

#[test]
fn check_and_computation_agree_with_recorded_results() {
    let Some(cases) = recorded("summarize_exhaustive.json") else {
        eprintln!("skipped: no recorded cases beside the repository");
        return;
    };
    let cases: Vec<_> = cases.into_iter().chain(recorded("summarize_and_patch.json").unwrap()).collect();
    let mut compared = 0;
    for case in cases.iter().filter(|case| case["golden"]["kstatus"].is_string()) {
        let golden = &case["golden"];
        let obj = object(&case["input"]["generation"], &golden["statusObservedGeneration"], &golden["conditions"]);
        assert_eq!(format!("{:?}", compute(&obj)), golden["kstatus"].as_str().unwrap(), "{}", case["name"]);
        let found = check(&obj, &texts(&case["input"]["kstatusNegativePolarity"]), Mode::Final);
        let ids = |is_strict: bool| -> Vec<String> {
            found.iter().map(|one| one.rule).filter(|rule| rule.is_strict() == is_strict).map(Rule::id).collect()
        };
        assert_eq!(json!(ids(true)), golden["kstatusFail"], "{}", case["name"]);
        assert_eq!(json!(ids(false)), golden["kstatusWarn"], "{}", case["name"]);
        compared += 1;
    }
    assert!(compared > 80, "only {compared} compared");
}

#[test]
fn the_first_matching_rule_decides() {
    let condition = |kind: &str, status: &str| json!({"type": kind, "status": status});
    let of = |conditions: Value| compute(&object(&json!(2), &json!(2), &conditions));
    assert_eq!(compute(&json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})), Observed::Terminating);
    assert_eq!(compute(&object(&json!(2), &json!(1), &json!([condition("Stalled", "True")]))), Observed::InProgress);
    assert_eq!(compute(&object(&json!(1), &json!(-1), &json!([]))), Observed::InProgress);
    assert_eq!(of(json!([condition("Reconciling", "True"), condition("Stalled", "True")])), Observed::InProgress);
    assert_eq!(of(json!([condition("Stalled", "True"), condition("Reconciling", "True")])), Observed::Failed);
    assert_eq!(of(json!([condition("Stalled", "False"), condition("Ready", "True")])), Observed::Current);
    assert_eq!(of(json!([condition("Ready", "Unknown")])), Observed::InProgress);
    assert_eq!(of(json!([])), Observed::Current);
}

#[test]
fn a_missing_ready_condition_violates_f2_only() {
    let obj = json!({"metadata": {"generation": 1}, "status": {"observedGeneration": 1, "conditions": [
        {"type": "FetchFailed", "status": "True", "reason": "Timeout", "message": "m", "observedGeneration": 1}]}});
    let rules: Vec<_> = check(&obj, &["FetchFailed"], Mode::Final).into_iter().map(|one| one.rule).collect();
    assert_eq!(rules, [Rule::F2]);
}

#[test]
fn malformed_objects_have_no_conditions() {
    for obj in [json!(null), json!({"status": {"conditions": 7}}), json!({"status": {"conditions": [3]}})] {
        assert_eq!(compute(&obj), Observed::Current);
        assert!(!check(&obj, &[], Mode::Final).is_empty());
    }
}
