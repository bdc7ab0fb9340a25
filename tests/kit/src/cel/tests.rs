//! CEL rules: their evaluation, and rules that are rejected.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
#![allow(clippy::needless_pass_by_value, reason = "json! reads best where it is used")]

use serde_json::{Value, json};

use super::run;
use crate::schema::{Structural, fixture};

/// A schema in which `spec.x` has the schema `x`.
fn schema(x: &Value) -> Structural {
    Structural::parse(&fixture::with_x(x)).unwrap()
}

fn with_rule(mut x: Value, rule: &str) -> Value {
    x["x-kubernetes-validations"] = json!([{"rule": rule}]);
    x
}

/// The errors that the rules report for `x`, as "field: message".
fn found(x: &Value, new: Value, old: Option<Value>) -> Vec<String> {
    let object = |x: Value| json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}, "spec": {"x": x}});
    let outcome = run(&object(new), old.map(object).as_ref(), &schema(x), &[]);
    outcome.causes.iter().map(ToString::to_string).collect()
}

/// Asserts that `rule` is true for a value with this schema.
#[track_caller]
fn holds(x: Value, rule: &str, value: Value) {
    assert_eq!(found(&with_rule(x, rule), value, None), Vec::<String>::new(), "{rule}");
}

/// The messages for rejecting the schema, without fields.
fn refusals(x: Value) -> Vec<String> {
    let causes = Structural::parse(&fixture::with_x(&x)).err().unwrap_or_default();
    causes.iter().map(|cause| cause.message.clone()).collect()
}

fn text() -> Value {
    json!({"type": "string"})
}

#[test]
fn values_have_the_types_of_their_schema() {
    holds(
        json!({"type": "string", "format": "date-time"}),
        "self > timestamp('2020-01-01T00:00:00Z')",
        json!("2021-01-01T00:00:00Z"),
    );
    holds(json!({"type": "string", "format": "date"}), "self.getFullYear() == 2021", json!("2021-03-04"));
    holds(json!({"type": "string", "format": "duration"}), "self < duration('2h')", json!("1h30m"));
    holds(json!({"type": "string", "format": "byte"}), "self == b'hello'", json!("aGVsbG8="));
    holds(json!({"type": "number"}), "self == 1.0", json!(1));
    let either = json!({"x-kubernetes-int-or-string": true});
    holds(either.clone(), "type(self) == int ? self < 5 : self == 'x'", json!(4));
    holds(either, "type(self) == int ? self < 5 : self == 'x'", json!("x"));
    holds(text(), "dyn(self) == '512Mi' && bool('true')", json!("512Mi"));
    holds(text(), "quantity(self).isLessThan(quantity('1Gi'))", json!("512Mi"));
    holds(
        json!({"type": "object", "maxProperties": 9, "additionalProperties": text()}),
        "self.all(k, k.startsWith('a-') && self[k] != '')",
        json!({"a-b": "c"}),
    );
}

#[test]
fn names_are_escaped_and_metadata_is_restricted() {
    let names = json!({"type": "object", "properties": {"a-b": text(), "namespace": text(), "a_b": text()}});
    holds(
        names,
        "self.a__dash__b == '1' && self.__namespace__ == '2' && self.a_b == '3'",
        json!({"a-b": "1", "namespace": "2", "a_b": "3"}),
    );
    let embedded =
        json!({"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true});
    holds(
        embedded.clone(),
        "self.kind == 'Pod' && self.metadata.name == 'p'",
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "data": {}}),
    );
    let refused = refusals(with_rule(embedded, "has(self.metadata.labels)"));
    assert!(refused[0].contains("undefined field 'labels'"), "{refused:?}");
}

#[test]
fn optional_fields_and_keys_are_supported() {
    let x = json!({"type": "object", "properties": {"a": text(), "b": {"type": "object", "properties": {"c": {"type": "integer"}}}}});
    holds(x.clone(), "self.?a.orValue('none') == 'none'", json!({}));
    holds(x.clone(), "self.?b.c.orValue(7) == 7", json!({"b": {}}));
    holds(x.clone(), "self.?b.?c.optMap(c, c + 1).orValue(0) == 3", json!({"b": {"c": 2}}));
    holds(x.clone(), "!self.?b.?c.hasValue()", json!({}));
    holds(x, "self.?b.optFlatMap(b, b.?c).orValue(5) == 5", json!({"b": {}}));
    holds(json!({"type": "object", "additionalProperties": text()}), "self[?'k'].orValue('d') == 'd'", json!({}));
}

#[test]
fn syntax_errors_are_reported_with_their_position() {
    let broken = [
        "self.",
        "(",
        "'",
        "\"\\",
        "a..b",
        "[",
        "{",
        "x ? y",
        "0x",
        "1.e",
        "b'",
        "self[",
        "has(",
        "has(self)",
        "self.all(x)",
        "self.all(1, x)",
        "99999999999999999999 > 1",
        "self ==",
        "!",
        "self.?",
        "self[?",
        "A{b: 1}",
        "self == 'a' //",
        "1], [2",
    ];
    for rule in broken {
        let found = refusals(with_rule(text(), rule));
        let is_reported = found.iter().any(|why| why.contains("compilation failed: ERROR: <input>:1:"));
        assert!(is_reported || rule.ends_with("//"), "{rule}: {found:?}");
    }
}

#[test]
fn a_deeply_nested_rule_is_rejected() {
    for (open, inner, close) in
        [("(", "true", ")"), ("[", "", "]"), ("", "size(self)", " + 1"), ("", "self", ".trim()")]
    {
        for depth in [260, 5_000] {
            let rule = format!("{}{inner}{} == null", open.repeat(depth), close.repeat(depth));
            let found = refusals(with_rule(text(), &rule));
            assert!(found[0].contains("ERROR: <input>:-1:0: "), "{open}{close}: {found:?}");
        }
    }
    holds(text(), &format!("size(self){} > 240", " + 1".repeat(240)), json!("a"));
    holds(text(), &format!("{}self == 'a'{}", "(".repeat(240), ")".repeat(240)), json!("a"));
    holds(text(), &format!("true{}", " && self == 'a'".repeat(5_000)), json!("a"));
    let mistyped = refusals(with_rule(text(), &format!("{}self == 1{}", "(".repeat(240), ")".repeat(240))));
    assert!(mistyped[0].contains("ERROR: <input>:1:246: "), "{mistyped:?}");
    let long = refusals(with_rule(text(), &format!("true && '{}' == ''", "x".repeat(100_000))));
    assert!(long[0].ends_with("expression code point size exceeds limit: size: 100016, limit 100000"));
    let denied = format!("{}(self == 'a')", "!".repeat(1_000));
    holds(text(), &denied, json!("a"));
}

#[test]
fn double_negation_is_evaluated() {
    let number = json!({"type": "integer"});
    holds(number.clone(), "!!(self == 1)", json!(1));
    holds(number.clone(), "!! !(self == 2) && '!!' == '!!'", json!(1));
    assert_eq!(found(&with_rule(number, "! !(self == 1)"), json!(2), None).len(), 1);
}

#[test]
fn lists_compare_by_their_type() {
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": text()});
    let same = with_rule(set.clone(), "self == oldSelf");
    assert!(found(&same, json!(["a", "b"]), Some(json!(["b", "a"]))).is_empty());
    assert_eq!(found(&same, json!(["a", "c"]), Some(json!(["b", "a"]))).len(), 1);
    let keyed = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items":
        {"type": "object", "required": ["k"], "properties": {"k": text(), "v": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}}}});
    let old = || Some(json!([{"k": "a", "v": 5}, {"k": "b", "v": 1}]));
    assert!(found(&keyed, json!([{"k": "b", "v": 1}, {"k": "a", "v": 6}, {"k": "c", "v": 0}]), old()).is_empty());
    let fell = found(&keyed, json!([{"k": "b", "v": 1}, {"k": "a", "v": 4}]), old());
    assert_eq!(fell, ["spec.x[1].v: Invalid value: 4: failed rule: self >= oldSelf"]);
}

#[test]
fn type_errors_are_reported_with_their_position() {
    let refused = |x: Value, rule: &str, expected: &str| {
        let found = refusals(with_rule(x, rule));
        assert!(found.len() == 1 && found[0].ends_with(expected), "{rule}: {found:?}");
    };
    refused(
        text(),
        "self == 1",
        "ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(string, int)'\n | self == 1\n | .....^",
    );
    refused(text(), "foo(self)", "1:4: undeclared reference to 'foo' (in container '')\n | foo(self)\n | ...^");
    refused(text(), "self.foo()", "1:9: undeclared reference to 'foo' (in container '')\n | self.foo()\n | ........^");
    refused(
        text(),
        "self.lowerAscii(1) == 'a'",
        "1:16: found no matching overload for 'lowerAscii' applied to 'string.(int)'\n | self.lowerAscii(1) == 'a'\n | ...............^",
    );
    refused(text(), "self + 'a'", "cel expression must evaluate to a bool");
    let object = json!({"type": "object", "properties": {"a": text()}});
    refused(
        object,
        "self.b == 'a' && self.a == 1",
        "1:5: undefined field 'b'\n | self.b == 'a' && self.a == 1\n | ....^\nERROR: <input>:1:25: found no matching overload for '_==_' applied to '(string, int)'\n | self.b == 'a' && self.a == 1\n | ........................^",
    );
    refused(
        json!({"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 5}}),
        "self.all(x, x == 1)",
        "'_==_' applied to '(string, int)'\n | self.all(x, x == 1)\n | ..............^",
    );
}

/// The factor by which a limit is exceeded according to the first cause.
fn factor(x: Value, rule: &str) -> String {
    let found = refusals(with_rule(x, rule));
    let Some(first) = found.first() else { return "fits".to_owned() };
    let factor = first.split("estimated rule cost exceeds budget by factor of ").nth(1).unwrap_or(first);
    factor.split(" (").next().unwrap().to_owned()
}

/// Rows of a schema, a rule, and the cost that an API server reported.
#[test]
fn estimated_costs_match_a_real_server() {
    let rows: Vec<(Value, String, String)> = serde_json::from_str(include_str!("costs.json")).unwrap();
    let mut wrong = Vec::new();
    for (schema, rule, expected) in rows {
        let found = factor(schema, &rule);
        if found != expected {
            wrong.push(format!("{rule}: expected {expected}, found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The cost of a rule over `x` and two lists if both lists are empty. Each item of `l` adds 554, and each item of `m` adds 4.
fn spent(rule: &str, x: &Value) -> u64 {
    let truths = |most: u64| json!({"type": "array", "maxItems": most, "items": {"type": "boolean"}});
    let lists = format!("size([{}]) > 0", vec!["[b]"; 49].join(", "));
    let rule = format!("(({rule}) || true) && self.l.all(b, {lists}) && self.m.all(b, b)");
    let most = if x.as_str().unwrap().len() > 1000 { 100_000 } else { 1000 };
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}],
        "properties": {"x": {"type": "string", "maxLength": most}, "l": truths(3000), "m": truths(300)}});
    let schema = Structural::parse(&fixture::with_x(&schema)).unwrap();
    run(&json!({"spec": {"x": {"x": x, "l": [], "m": []}}}), None, &schema, &[]).spent
}

/// Rows of a rule, a text (or a character and its count), and the numbers of items of the two lists that an API server accepted. With one
/// more item in the second list, the cost of the rule exceeded one million.
#[test]
fn runtime_costs_match_a_real_server() {
    let rows: Vec<(String, Value, [u64; 2])> = serde_json::from_str(include_str!("spent.json")).unwrap();
    let mut wrong = Vec::new();
    for (rule, x, [l, m]) in rows {
        let x = match x.as_array().map(Vec::as_slice) {
            Some([one, count]) => json!(one.as_str().unwrap().repeat(count.as_u64().unwrap() as usize)),
            _ => x,
        };
        let (found, most) = (spent(&rule, &x), 1_000_000 - 554 * l - 4 * m);
        if !(most.saturating_sub(3)..=most).contains(&found) {
            wrong.push(format!("{rule}: expected at most {most}, found {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
