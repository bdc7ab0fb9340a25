//! Huge schemas and objects: the server accepts everything within the size limit of a body, and survives.

use serde_json::{Map, Value, json};

use crate::cel::{create, define, definition, refuses, ruled};
use crate::check::{Verdict, holds};
use crate::env::{CRDS, Env, text};
use crate::rule::rules;

rules![
    a_schema_may_be_huge,
    a_huge_enum_is_enforced,
    a_huge_list_is_counted,
    a_pattern_that_repeats_too_often_is_refused,
    a_rule_is_refused_once_it_becomes_expensive,
];

/// Checks that the server still responds.
async fn alive(env: &Env) -> Verdict {
    env.get(&env.core("configmaps")).await?.is(200).map(|_| ())
}

async fn takes(env: &Env, x: Value) -> Verdict {
    let body = definition(env, &json!({"x": x}));
    env.post(&format!("{CRDS}?dryRun=All"), &body).await?.is(201).map(|_| ())
}

async fn a_schema_may_be_huge(env: &Env) -> Verdict {
    let properties: Map<String, Value> = (0..3000).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
    let required: Vec<String> = (0..5000).map(|n| format!("p{n}")).collect();
    takes(env, json!({"type": "object", "properties": properties, "required": required})).await?;
    let deep = (0..50).fold(json!({"type": "string"}), |x, _| json!({"type": "object", "properties": {"p": x}}));
    takes(env, deep).await?;
    takes(env, json!({"type": "string", "description": "d".repeat(2_000_000)})).await?;
    alive(env).await
}

async fn a_huge_enum_is_enforced(env: &Env) -> Verdict {
    let choice: Vec<String> = (0..10_000).map(|n| format!("v{n}")).collect();
    define(env, json!({"x": {"type": "string", "enum": choice}})).await?;
    create(env, "x", json!({"x": "v9999"})).await?.is(201)?;
    let answer = create(env, "y", json!({"x": "v10000"})).await?.refuses(422, "Invalid")?;
    let message = text(&answer.body["message"]);
    holds("all choices are named", message.contains("Unsupported value: \"v10000\"") && message.contains("\"v9999\""))
}

async fn a_huge_list_is_counted(env: &Env) -> Verdict {
    define(env, json!({"l": {"type": "array", "maxItems": 9, "items": {"type": "integer"}}})).await?;
    let answer = create(env, "x", json!({"l": vec![1; 100_000]})).await?;
    refuses(answer, &["spec.l: Too many: 100000: must have at most 9 items"])?;
    alive(env).await
}

async fn a_pattern_that_repeats_too_often_is_refused(env: &Env) -> Verdict {
    takes(env, json!({"type": "string", "pattern": "^a{1000}[{1001}]\\{1001}$"})).await?;
    for (pattern, count) in [("a{1001}", "{1001}"), ("b{2,1001}", "{2,1001}"), ("(a{3,4})+c{5000,}", "{5000,}")] {
        let body = definition(env, &json!({"x": {"type": "string", "pattern": pattern}}));
        let answer = env.post(&format!("{CRDS}?dryRun=All"), &body).await?.refuses(422, "Invalid")?;
        let why = format!(
            "Invalid value: \"{pattern}\": must be a valid regular expression, but isn't: error parsing regexp: invalid \
             repeat count: `{count}`"
        );
        holds(&why, text(&answer.body["message"]).contains(&why))?;
    }
    Ok(())
}

async fn a_rule_is_refused_once_it_becomes_expensive(env: &Env) -> Verdict {
    let list = |most: u64| {
        let items = json!({"type": "string", "maxLength": 10});
        json!({"l": ruled(json!({"type": "array", "maxItems": most, "items": items}),
            json!([{"rule": "self.all(a, self.all(b, a == b))"}]))})
    };
    define(env, list(10)).await?;
    let crd = definition(env, &list(10));
    let path = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
    env.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await?.is(200)?;
    let wider = json!({"spec": {"versions": definition(env, &list(100_000))["spec"]["versions"]}});
    let answer = env.merge(&path, &wider).await?.refuses(422, "Invalid")?;
    let why = "rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x";
    holds(why, text(&answer.body["message"]).contains(why))
}
