//! The CEL of each rule.

use std::fmt::Write;
use std::path::Path;

use evenkeel::Operator;
use evenkeel_testkit::assert_generated;

use super::kind::depot;
use super::shapes::*;

/// The rules of these tests.
pub(crate) type All = (
    (url_stays, one_login, login_is_complete, login_stays, whole_login_stays, options_are_equal, options_have_methods),
    (numbers_have_operators, floats_have_operators, texts_have_methods, variants_are_compared),
    (lists_have_methods, sets_have_methods, maps_have_methods, items_have_fields, objects_are_compared, limits_grow),
    (robots_tag, requests_are_read),
);

pub(crate) fn operator() -> Operator {
    Operator::new("depots").reconciler::<depot>(()).rules::<All>()
}

#[test]
fn each_rule_is_printed_as_cel() {
    let mut text = String::new();
    for definition in operator().definitions() {
        let schema = definition.spec.versions[0].schema.clone().unwrap().open_api_v3_schema.unwrap();
        let spec = &schema.properties.unwrap()["spec"];
        for (name, part) in
            [("spec", spec)].into_iter().chain(spec.properties.iter().flatten().map(|(n, p)| (n.as_str(), p)))
        {
            for rule in part.x_kubernetes_validations.iter().flatten() {
                writeln!(text, "{name}: {}", serde_json::to_string_pretty(rule).unwrap()).unwrap();
            }
        }
    }
    for policy in operator().admission_policies() {
        writeln!(text, "{}", serde_json::to_string_pretty(&policy.policy).unwrap()).unwrap();
        writeln!(text, "{}", serde_json::to_string_pretty(&policy.binding).unwrap()).unwrap();
    }
    assert_generated(Path::new(env!("CARGO_MANIFEST_DIR")).join("behaviour/rules/printed.txt"), &text);
}
