//! CEL validation rules: which rules a CRD may have, and their effect on objects.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, holds, same};
use crate::env::{Answer, CRDS, Env, text};
use crate::rule::rules;

rules![
    a_false_rule_rejects_the_write,
    a_rule_may_set_field_path_and_reason,
    an_expression_may_compute_the_message,
    rules_of_items_and_keys_report_their_path,
    a_rule_evaluation_error_rejects_the_write,
    a_transition_rule_compares_with_the_old_value,
    an_optional_old_self_rule_runs_on_create,
    items_are_compared_with_old_items_by_key,
    sets_are_equal_in_any_order,
    a_root_rule_can_read_the_name,
    schema_errors_prevent_rule_evaluation,
    an_unchanged_invalid_value_only_warns,
    a_rule_that_does_not_compile_is_refused,
    a_rule_that_may_cost_too_much_is_refused,
    a_non_boolean_rule_is_refused,
    old_self_of_uncorrelatable_items_is_refused,
    a_malformed_rule_is_refused,
];

fn text_of(most: u64) -> Value {
    json!({"type": "string", "maxLength": most})
}

pub(crate) fn ruled(mut schema: Value, rules: Value) -> Value {
    schema["x-kubernetes-validations"] = rules;
    schema
}

/// A CRD with these properties under `spec`.
pub(crate) fn definition(env: &Env, properties: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}});
    Env::definition(&env.group(), "Ruled", &schema, &json!({}))
}

pub(crate) async fn define(env: &Env, properties: Value) -> Verdict {
    env.define(&definition(env, &properties)).await
}

fn path(env: &Env, rest: &str) -> String {
    format!("/apis/{}/v1/namespaces/{}/ruleds{rest}", env.group(), env.namespace)
}

pub(crate) async fn create(env: &Env, name: &str, spec: Value) -> Result<Answer, Broken> {
    let body =
        json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Ruled", "metadata": {"name": name}, "spec": spec});
    env.post(&path(env, ""), &body).await
}

async fn change(env: &Env, name: &str, spec: Value) -> Result<Answer, Broken> {
    env.merge(&path(env, &format!("/{name}")), &json!({"spec": spec})).await
}

/// Checks that the write was rejected for exactly these reasons, each as "field: message".
#[allow(clippy::needless_pass_by_value, reason = "reads as a sentence")]
pub(crate) fn refuses(answer: Answer, expected: &[&str]) -> Verdict {
    let answer = answer.refuses(422, "Invalid")?;
    let causes = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
    let mut found: Vec<String> =
        causes.iter().map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"]))).collect();
    found.sort();
    same("causes", found, expected.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>())
}

async fn a_false_rule_rejects_the_write(env: &Env) -> Verdict {
    let rules = json!([{"rule": "self != 'bad'", "message": "must be good"}, {"rule": "size(self) < 5"}]);
    define(env, json!({"a": ruled(text_of(9), rules)})).await?;
    refuses(create(env, "x", json!({"a": "bad"})).await?, &["spec.a: Invalid value: \"bad\": must be good"])?;
    let long = "spec.a: Invalid value: \"longer\": failed rule: size(self) < 5";
    refuses(create(env, "x", json!({"a": "longer"})).await?, &[long])?;
    create(env, "x", json!({"a": "good"})).await?.is(201)?;
    refuses(change(env, "x", json!({"a": "bad"})).await?, &["spec.a: Invalid value: \"bad\": must be good"])
}

async fn a_rule_may_set_field_path_and_reason(env: &Env) -> Verdict {
    let pair = json!({"type": "object", "properties": {"min": {"type": "integer"}, "max": {"type": "integer"}}});
    let rule = json!([{"rule": "self.min <= self.max", "message": "too small", "fieldPath": ".max", "reason": "FieldValueForbidden"}]);
    let once = ruled(text_of(9), json!([{"rule": "self == 'a'", "reason": "FieldValueDuplicate"}]));
    define(env, json!({"pair": ruled(pair, rule), "once": once})).await?;
    let answer = create(env, "x", json!({"pair": {"min": 2, "max": 1}, "once": "b"})).await?;
    refuses(answer, &["spec.once: Duplicate value: \"b\"", "spec.pair.max: Forbidden: too small"])
}

async fn an_expression_may_compute_the_message(env: &Env) -> Verdict {
    let rules = json!([{"rule": "self < 10", "messageExpression": "'is ' + (self > 20 ? 'far' : 'just') + ' too large'"},
        {"rule": "self > 0", "message": "above zero", "messageExpression": "string(10 / self)"}]);
    define(env, json!({"n": ruled(json!({"type": "integer"}), rules)})).await?;
    refuses(create(env, "x", json!({"n": 12})).await?, &["spec.n: Invalid value: 12: is just too large"])?;
    refuses(create(env, "x", json!({"n": 0})).await?, &["spec.n: Invalid value: 0: above zero"])
}

async fn rules_of_items_and_keys_report_their_path(env: &Env) -> Verdict {
    let positive = || ruled(json!({"type": "integer"}), json!([{"rule": "self > 0", "message": "no"}]));
    define(
        env,
        json!({"list": {"type": "array", "maxItems": 5, "items": positive()},
        "dict": {"type": "object", "maxProperties": 5, "additionalProperties": positive()}}),
    )
    .await?;
    let answer = create(env, "x", json!({"list": [1, 0], "dict": {"a.b": -1}})).await?;
    refuses(answer, &["spec.dict[a.b]: Invalid value: -1: no", "spec.list[1]: Invalid value: 0: no"])
}

async fn a_rule_evaluation_error_rejects_the_write(env: &Env) -> Verdict {
    let rule = |rule: &str| json!([{"rule": rule}]);
    define(
        env,
        json!({"n": ruled(json!({"type": "integer"}), rule("10 / self > 1")),
        "l": ruled(json!({"type": "array", "maxItems": 3, "items": text_of(3)}), rule("self[1] == 'a'"))}),
    )
    .await?;
    let answer = create(env, "x", json!({"n": 0, "l": ["b"]})).await?;
    refuses(
        answer,
        &[
            "spec.l: Invalid value: \"array\": index out of bounds: 1 evaluating rule: self[1] == 'a'",
            "spec.n: Invalid value: \"integer\": division by zero evaluating rule: 10 / self > 1",
        ],
    )
}

async fn a_transition_rule_compares_with_the_old_value(env: &Env) -> Verdict {
    let fixed = ruled(text_of(9), json!([{"rule": "self == oldSelf", "message": "is fixed"}]));
    define(env, json!({"fixed": fixed, "other": text_of(9)})).await?;
    create(env, "x", json!({"fixed": "a"})).await?.is(201)?;
    refuses(change(env, "x", json!({"fixed": "b"})).await?, &["spec.fixed: Invalid value: \"b\": is fixed"])?;
    change(env, "x", json!({"other": "1"})).await?.is(200)?;
    change(env, "x", json!({"fixed": null})).await?.is(200)?;
    change(env, "x", json!({"fixed": "b"})).await?.is(200).map(|_| ())
}

async fn an_optional_old_self_rule_runs_on_create(env: &Env) -> Verdict {
    let rule = json!([{"rule": "oldSelf.hasValue() ? self >= oldSelf.value() : self == 1", "optionalOldSelf": true, "message": "no"}]);
    define(env, json!({"n": ruled(json!({"type": "integer"}), rule)})).await?;
    refuses(create(env, "x", json!({"n": 2})).await?, &["spec.n: Invalid value: 2: no"])?;
    create(env, "x", json!({"n": 1})).await?.is(201)?;
    change(env, "x", json!({"n": 5})).await?.is(200)?;
    refuses(change(env, "x", json!({"n": 4})).await?, &["spec.n: Invalid value: 4: no"])
}

async fn items_are_compared_with_old_items_by_key(env: &Env) -> Verdict {
    let size = ruled(json!({"type": "integer"}), json!([{"rule": "self >= oldSelf", "message": "shrinks"}]));
    let item = json!({"type": "object", "required": ["k"], "properties": {"k": text_of(5), "n": size}});
    define(env, json!({"l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item}})).await?;
    create(env, "x", json!({"l": [{"k": "a", "n": 5}, {"k": "b", "n": 1}]})).await?.is(201)?;
    change(env, "x", json!({"l": [{"k": "b", "n": 1}, {"k": "c", "n": 0}, {"k": "a", "n": 6}]})).await?.is(200)?;
    let answer = change(env, "x", json!({"l": [{"k": "b", "n": 0}]})).await?;
    refuses(answer, &["spec.l[0].n: Invalid value: 0: shrinks"])
}

async fn sets_are_equal_in_any_order(env: &Env) -> Verdict {
    let set = json!({"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": text_of(5)});
    define(env, json!({"s": ruled(set, json!([{"rule": "self == oldSelf", "message": "differs"}]))})).await?;
    create(env, "x", json!({"s": ["a", "b"]})).await?.is(201)?;
    change(env, "x", json!({"s": ["b", "a"]})).await?.is(200)?;
    refuses(change(env, "x", json!({"s": ["b", "c"]})).await?, &["spec.s: Invalid value: differs"])
}

async fn a_root_rule_can_read_the_name(env: &Env) -> Verdict {
    let mut crd = definition(env, &json!({"a": text_of(9)}));
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["x-kubernetes-validations"] =
        json!([{"rule": "self.metadata.name.startsWith('x') && self.kind == 'Ruled'", "message": "begins with x"}]);
    env.define(&crd).await?;
    refuses(create(env, "y", json!({})).await?, &["<nil>: Invalid value: begins with x"])?;
    create(env, "x", json!({})).await?.is(201).map(|_| ())
}

async fn schema_errors_prevent_rule_evaluation(env: &Env) -> Verdict {
    let fixed = ruled(text_of(9), json!([{"rule": "self == 'a'"}]));
    define(env, json!({"a": fixed, "n": {"type": "integer"}})).await?;
    let waits = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; \
                 correct the existing errors to complete validation";
    let wrong = "spec.n: Invalid value: \"string\": spec.n in body must be of type integer: \"string\"";
    refuses(create(env, "x", json!({"a": "b", "n": "1"})).await?, &[waits, wrong])
}

async fn an_unchanged_invalid_value_only_warns(env: &Env) -> Verdict {
    let crd = definition(env, &json!({"a": text_of(9), "b": text_of(9)}));
    env.define(&crd).await?;
    create(env, "x", json!({"a": "bad", "b": "1"})).await?.is(201)?;
    let rule = json!({"spec": {"versions": [{"name": "v1", "served": true, "storage": true, "schema":
        definition(env, &json!({"a": ruled(text_of(9), json!([{"rule": "self == 'good'", "message": "not good"}])), "b": text_of(9)}))
        ["spec"]["versions"][0]["schema"].clone()}]}});
    env.merge(&format!("{CRDS}/{}", text(&crd["metadata"]["name"])), &rule).await?.is(200)?;
    let known = || async {
        let body = json!({"spec": {"a": "worse"}});
        let answer = env.merge(&path(env, "/x?dryRun=All"), &body).await?;
        Ok((answer.status == 422).then_some(()))
    };
    eventually("the rule is known", known).await?;
    let answer = change(env, "x", json!({"b": "2"})).await?.is(200)?;
    let warning = answer.headers.get("Warning").and_then(|warning| warning.to_str().ok()).unwrap_or_default();
    same("warning", warning, "299 - \"spec.a: Invalid value: \\\"bad\\\": not good\"")
}

/// The messages for rejecting a CRD with one rule on a string.
async fn refused(env: &Env, rule: Value) -> Result<Vec<String>, Broken> {
    let crd = definition(env, &json!({"a": ruled(json!({"type": "string"}), json!([rule]))}));
    let answer = env.post(CRDS, &crd).await?.refuses(422, "Invalid")?;
    let at = "spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].";
    let causes = answer.body["details"]["causes"].as_array().cloned().unwrap_or_default();
    Ok(causes
        .iter()
        .map(|cause| format!("{}: {}", text(&cause["field"]).replace(at, ""), text(&cause["message"])))
        .collect())
}

async fn a_rule_that_does_not_compile_is_refused(env: &Env) -> Verdict {
    let cases = [
        ("self == 1", "1:6: found no matching overload for '_==_' applied to '(string, int)'\n | self == 1\n | .....^"),
        ("other == ''", "1:1: undeclared reference to 'other' (in container '')\n | other == ''\n | ^"),
        ("self.a == ''", "1:5: type 'string' does not support field selection\n | self.a == ''\n | ....^"),
        (
            "self.size(1) > 2",
            "1:10: found no matching overload for 'size' applied to 'string.(int)'\n | self.size(1) > 2\n | .........^",
        ),
        (
            "self.exists(c, c == 'a')",
            "1:1: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.exists(c, c == 'a')\n | ^",
        ),
    ];
    for (rule, expected) in cases {
        let found = refused(env, json!({"rule": rule})).await?;
        let printed = json!({"Rule": rule}).to_string().replace('>', "\\u003e");
        let printed = printed.trim_end_matches('}');
        let head = format!(
            "rule: Invalid value: {printed},\"Message\":\"\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}}: compilation failed: ERROR: <input>:"
        );
        same("causes", found, vec![format!("{head}{expected}")])?;
    }
    Ok(())
}

async fn a_rule_that_may_cost_too_much_is_refused(env: &Env) -> Verdict {
    let list = |most: Option<u64>, long: u64| {
        let mut list = json!({"type": "array", "items": text_of(long)});
        most.into_iter().for_each(|most| list["maxItems"] = most.into());
        list
    };
    let keys = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let cases = [
        (list(None, 100), "self.all(a, a.contains('a'))", "4.6x"),
        (list(Some(1000), 1000), "self.all(a, a.contains(a))", "16.0x"),
        (list(Some(1000), 100), "self.all(a, self.exists(b, b == a))", "4.6x"),
        (list(Some(5000), 5000), "self.map(a, a.lowerAscii()).all(a, a.matches('^[a-z]+$'))", "1.5x"),
        (list(Some(900), 500), "self.filter(a, a != '').all(a, self.exists_one(b, a == b))", "7.6x"),
        (list(Some(90000), 900), "self.isSorted()", "3.2x"),
        (list(Some(3000), 100), "self.all(a, self.all(b, a.split(',').size() > 1))", "77.4x"),
        (keys, "self.all(k, self.all(j, self[k] < self[j]))", "more than 100x"),
    ];
    for (schema, rule, expected) in cases {
        let crd = definition(env, &json!({"a": ruled(schema, json!([{"rule": rule}]))}));
        let answer = env.post(&format!("{CRDS}?dryRun=All"), &crd).await?.refuses(422, "Invalid")?;
        let first = text(&answer.body["details"]["causes"][0]["message"]).to_owned();
        let factor = first.split("estimated rule cost exceeds budget by factor of ").nth(1).unwrap_or_default();
        same(rule, factor.split(" (").next(), Some(expected))?;
    }
    Ok(())
}

async fn a_non_boolean_rule_is_refused(env: &Env) -> Verdict {
    let found = refused(env, json!({"rule": "self + 'a'"})).await?;
    holds("it must be a bool", found.len() == 1 && found[0].ends_with("}: cel expression must evaluate to a bool"))?;
    let found = refused(env, json!({"rule": "true", "messageExpression": "1"})).await?;
    holds(
        "its message is a text",
        found.len() == 1 && found[0].ends_with("}: messageExpression must evaluate to a string"),
    )
}

async fn old_self_of_uncorrelatable_items_is_refused(env: &Env) -> Verdict {
    let list =
        json!({"type": "array", "maxItems": 3, "items": ruled(text_of(9), json!([{"rule": "self == oldSelf"}]))});
    let answer = env.post(CRDS, &definition(env, &json!({"l": list}))).await?;
    let at = "spec.validation.openAPIV3Schema.properties[spec].properties[l]";
    let why = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
    refuses(
        answer,
        &[&format!("{at}.items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": {why} {at}")],
    )
}

async fn a_malformed_rule_is_refused(env: &Env) -> Verdict {
    let cases = [
        (json!({"rule": " "}), "rule: Required value: rule is not specified"),
        (json!({"rule": "true", "message": " "}), "message: Invalid value: \" \": must be non-empty if specified"),
        (
            json!({"rule": "true &&\n true"}),
            "message: Required value: message must be specified if rule contains line breaks",
        ),
        (json!({"rule": "true", "fieldPath": ".b"}), "fieldPath: Invalid value: \".b\": must be a valid path"),
        (
            json!({"rule": "true", "optionalOldSelf": true}),
            "optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
        ),
        (
            json!({"rule": "true", "reason": "Odd"}),
            "reason: Unsupported value: \"Odd\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"",
        ),
    ];
    for (rule, expected) in cases {
        same("causes", refused(env, rule).await?, vec![expected.to_owned()])?;
    }
    Ok(())
}
