//! The syntax and semantics of CEL rules.

use serde_json::{Value, json};

use crate::cel::{create, define, definition, refuses, ruled};
use crate::check::{Verdict, holds, same};
use crate::env::{Answer, CRDS, Env, text};
use crate::rule::rules;

rules![
    two_variable_comprehensions_have_index_and_value,
    transform_map_entry_creates_keys,
    a_duplicate_map_key_rejects_the_write,
    a_list_is_sorted_by_an_expression,
    optional_values_are_checked_and_replaced,
    reading_an_absent_value_rejects_the_write,
    sets_concatenate_by_member,
    keyed_lists_concatenate_by_key,
    the_left_list_decides_whether_order_matters,
    a_later_item_may_override_an_error,
    an_unresolved_error_rejects_the_write,
    an_invalid_variable_name_is_refused,
    a_mixed_list_is_refused_except_in_format,
    a_rule_over_long_texts_costs_by_their_length,
];

fn list(of: &str) -> Value {
    let item = if of == "string" { json!({"type": of, "maxLength": 10}) } else { json!({"type": of}) };
    json!({"type": "array", "maxItems": 9, "items": item})
}

fn dict() -> Value {
    json!({"type": "object", "maxProperties": 9, "additionalProperties": {"type": "string", "maxLength": 10}})
}

/// Checks that all rules are true for the value, and that their negations are false.
async fn hold(env: &Env, schema: Value, rules: &[&str], value: Value) -> Verdict {
    let held: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
    let denied: Vec<Value> = rules.iter().map(|rule| json!({"rule": format!("!({rule})"), "message": rule})).collect();
    define(env, json!({"x": ruled(schema.clone(), json!(held)), "y": ruled(schema, json!(denied))})).await?;
    create(env, "x", json!({"x": value})).await?.is(201)?;
    let answer = create(env, "y", json!({"y": value})).await?.refuses(422, "Invalid")?;
    let causes = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let reported = |rule: &&str| causes.iter().any(|cause| text(&cause["message"]).ends_with(*rule));
    same("rules whose denial is refused", rules.iter().copied().filter(reported).collect::<Vec<_>>(), rules.to_vec())
}

/// The error for a CRD with a property that has this rule.
async fn refusal(env: &Env, schema: Value, rule: &str) -> Result<Answer, crate::check::Broken> {
    let body = definition(env, &json!({"x": ruled(schema, json!([{"rule": rule}]))}));
    env.post(&format!("{CRDS}?dryRun=All"), &body).await?.refuses(422, "Invalid")
}

async fn two_variable_comprehensions_have_index_and_value(env: &Env) -> Verdict {
    let rules = [
        "self.all(i, v, i < 3 && v > i)",
        "self.exists(i, v, i == 2 && v == 7)",
        "self.existsOne(i, v, v > 4) && self.exists_one(i, v, v == 1)",
        "self.transformList(i, v, v * i) == [0, 2, 14]",
        "self.transformList(i, v, i > 0, v * i) == [2, 14]",
        "self.transformMap(i, v, i > 0, v + 1) == {1: 3, 2: 8}",
        "{'a': self}.transformMap(k, v, v.transformList(i, w, w + i)) == {'a': [1, 3, 9]}",
    ];
    hold(env, list("integer"), &rules, json!([1, 2, 7])).await
}

async fn transform_map_entry_creates_keys(env: &Env) -> Verdict {
    let rules = [
        "self.transformMapEntry(k, v, {v: k}) == {'b': 'a', 'd': 'c'}",
        "self.transformMapEntry(k, v, k > 'b', {v: k}) == {'d': 'c'}",
        "self.transformList(k, v, k + v) in [['ab', 'cd'], ['cd', 'ab']]",
        "self.all(k, v, k < v)",
    ];
    hold(env, dict(), &rules, json!({"a": "b", "c": "d"})).await
}

async fn a_duplicate_map_key_rejects_the_write(env: &Env) -> Verdict {
    let rule = "self.transformMapEntry(k, v, {'x': k}).size() > 0";
    define(env, json!({"z": ruled(dict(), json!([{"rule": rule}]))})).await?;
    let why = format!("spec.z: Invalid value: \"object\": insert failed: key x already exists evaluating rule: {rule}");
    refuses(create(env, "z", json!({"z": {"a": "b", "c": "d"}})).await?, &[&why])
}

async fn a_list_is_sorted_by_an_expression(env: &Env) -> Verdict {
    let rules = ["self.sortBy(x, -x) == [3, 2, 1]", "self.sortBy(x, string(x))[0] == 1", "self.sort() == [1, 2, 3]"];
    hold(env, list("integer"), &rules, json!([1, 3, 2])).await?;
    let answer = refusal(env, list("integer"), "self.sortBy(x, [x]) == self").await?;
    let why = "found no matching overload for '@sortByAssociatedKeys' applied to 'list(int).(list(list(int)))'";
    holds("the overload is named", text(&answer.body["message"]).contains(why))
}

async fn optional_values_are_checked_and_replaced(env: &Env) -> Verdict {
    let rules = [
        "self[?0].orValue('z') == 'a' && self[?7].orValue('z') == 'z'",
        "self[?7].or(self[?1]).value() == 'b'",
        "self[?1].optMap(x, x.size()).value() == 1 && !self[?7].optMap(x, x.size()).hasValue()",
        "!self[?7].optFlatMap(x, self[?0]).hasValue()",
        "[?self[?7], 'x', ?self[?0]] == ['x', 'a']",
        "{?'k': self[?7], ?'l': self[?0]} == {'l': 'a'}",
        "optional.unwrap(self.map(x, x == 'a' ? optional.of(x) : optional.none())) == ['a']",
        "self.map(x, optional.of(x)).unwrapOpt() == self",
        "!optional.ofNonZeroValue('').hasValue() && optional.of(self[0]).hasValue() && self.first().hasValue()",
        "self[?0].orValue(self[7]) == 'a'",
    ];
    let short =
        json!({"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 2, "enum": ["a", "b"]}});
    hold(env, short, &rules, json!(["a", "b"])).await
}

async fn reading_an_absent_value_rejects_the_write(env: &Env) -> Verdict {
    let rule = "self[?4].value() == 'a'";
    define(env, json!({"x": ruled(list("string"), json!([{"rule": rule}]))})).await?;
    let why = format!("spec.x: Invalid value: \"array\": optional.none() dereference evaluating rule: {rule}");
    refuses(create(env, "x", json!({"x": ["a"]})).await?, &[&why])
}

fn set() -> Value {
    let mut set = list("string");
    set["x-kubernetes-list-type"] = json!("set");
    set
}

async fn sets_concatenate_by_member(env: &Env) -> Verdict {
    let rules = ["size(self + ['b', 'c']) == 3", "(self + ['d', 'a'])[2] == 'd'", "size(['a'] + self) == 3"];
    hold(env, set(), &rules, json!(["a", "b"])).await
}

async fn keyed_lists_concatenate_by_key(env: &Env) -> Verdict {
    let item = json!({"type": "object", "required": ["k"],
        "properties": {"k": {"type": "string", "maxLength": 9}, "v": {"type": "integer"}}});
    let keyed = json!({"type": "array", "maxItems": 9, "items": item,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]});
    let rules = ["size(self + self) == 2", "size(self.map(x, x) + self) == 4", "self + [self[1]] == self"];
    let entries = json!([{"k": "a", "v": 1}, {"k": "b", "v": 2}]);
    let held: Vec<Value> = rules.iter().map(|rule| json!({"rule": rule})).collect();
    let plain = json!([{"rule": "size(self + self) == 4", "message": "no keys"}]);
    define(env, json!({"l": ruled(keyed.clone(), json!(held)), "m": ruled(keyed, plain)})).await?;
    create(env, "l", json!({"l": entries})).await?.is(201)?;
    refuses(create(env, "m", json!({"m": entries})).await?, &["spec.m: Invalid value: no keys"])
}

async fn the_left_list_decides_whether_order_matters(env: &Env) -> Verdict {
    let rules = [
        "self == ['b', 'a'] && dyn(self) == ['b', 'a'] && [self] == [['b', 'a']]",
        "['b', 'a'] != self && [['b', 'a']] != [self] && self.filter(x, true) != ['b', 'a']",
        "self in [self] && sets.equivalent(self, ['b', 'a'])",
    ];
    hold(env, set(), &rules, json!(["a", "b"])).await
}

async fn a_later_item_may_override_an_error(env: &Env) -> Verdict {
    let rules = ["self.exists(x, 10 / x == 5)", "!self.all(i, v, 10 / v > 6)"];
    hold(env, list("integer"), &rules, json!([0, 2])).await
}

async fn an_unresolved_error_rejects_the_write(env: &Env) -> Verdict {
    let rule = "self.all(i, v, 10 / v > 0)";
    define(env, json!({"z": ruled(list("integer"), json!([{"rule": rule}]))})).await?;
    let why = format!("spec.z: Invalid value: \"array\": division by zero evaluating rule: {rule}");
    refuses(create(env, "z", json!({"z": [1, 0, 2]})).await?, &[&why])
}

async fn an_invalid_variable_name_is_refused(env: &Env) -> Verdict {
    let rows = [
        ("self.all(i, a.b, true)", "ERROR: <input>:1:14: argument must be a simple name"),
        ("self.all(1, true)", "ERROR: <input>:1:10: argument must be a simple name"),
        ("self.all(i, i, true)", "ERROR: <input>:1:13: duplicate variable name: i"),
        ("self.sortBy(a.b, 1) == self", "ERROR: <input>:1:14: argument is not an identifier"),
        (
            "self[?0].optMap(a.b, 1).hasValue()",
            "ERROR: <input>:1:18: optMap() variable name must be a simple identifier",
        ),
        ("has(self)", "ERROR: <input>:1:5: invalid argument to has() macro"),
        (
            "self.transformMapEntry(i, v, v) == {}",
            "ERROR: <input>:1:23: found no matching overload for 'cel.@mapInsert'",
        ),
        ("self.all(a, b, c, true)", "ERROR: <input>:1:9: undeclared reference to 'all' (in container '')"),
    ];
    for (rule, why) in rows {
        let answer = refusal(env, list("string"), rule).await?;
        holds(why, text(&answer.body["message"]).contains(&format!("compilation failed: {why}")))?;
    }
    Ok(())
}

async fn a_mixed_list_is_refused_except_in_format(env: &Env) -> Verdict {
    hold(env, list("string"), &["'%s %d'.format([self[0], 1]) == 'a 1'"], json!(["a"])).await?;
    let answer = refusal(env, list("string"), "[self[0], 1].size() == 2").await?;
    let why = "compilation failed: ERROR: <input>:1:11: expected type 'string' but found 'int'";
    holds(why, text(&answer.body["message"]).contains(why))
}

async fn a_rule_over_long_texts_costs_by_their_length(env: &Env) -> Verdict {
    let many = json!({"type": "array", "maxItems": 500, "items": {"type": "string", "maxLength": 2000}});
    let rule = "self.all(x, x.matches('^[a-z][a-z][a-z][a-z][a-z][a-z][a-z]*[0-9]$') || x != '')";
    define(env, json!({"l": ruled(many, json!([{"rule": rule}]))})).await?;
    let spec = |count: usize| json!({"l": vec!["a".repeat(2000); count]});
    // Each item costs 201 for its text times 11 for the pattern, plus 5.
    create(env, "x", spec(440)).await?.is(201)?;
    let why = "no further validation rules will be run due to call cost exceeds limit for rule";
    let why =
        format!("spec.l: Invalid value: \"array\": 'operation cancelled: actual cost limit exceeded': {why}: {rule}");
    refuses(create(env, "y", spec(460)).await?, &[&why])
}
