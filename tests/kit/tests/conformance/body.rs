//! Request bodies: warnings on a rejected write, and limits of size and depth.

use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::env::{Answer, Env, GROUP, text};
use crate::rule::rules;

rules![
    a_refused_write_warns_of_unknown_fields,
    a_body_may_be_large_but_not_too_large,
    an_object_may_be_large_but_not_too_large,
    a_body_nested_too_deep_is_refused,
    a_deep_undeclared_field_is_dropped,
];

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";

fn warnings(answer: &Answer) -> Vec<&str> {
    answer.headers.get_all("Warning").iter().filter_map(|warning| warning.to_str().ok()).collect()
}

fn widget(name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

async fn a_refused_write_warns_of_unknown_fields(env: &Env) -> Verdict {
    let wrong = json!({"size": "x", "bogus": 1});
    let mut live = env.post(&env.path(""), &widget("a", &json!({"size": 1}))).await?.is(201)?.body;
    live["spec"] = wrong.clone();
    let path = env.path("/a");
    let operations =
        json!([{"op": "add", "path": "/spec/size", "value": "x"}, {"op": "add", "path": "/spec/bogus", "value": 1}]);
    let answers = [
        env.post(&env.path(""), &widget("b", &wrong)).await?,
        env.put(&path, &live).await?,
        env.merge(&path, &json!({"spec": wrong})).await?,
        env.json_patch(&path, &operations).await?,
    ];
    for answer in answers {
        let answer = answer.refuses(422, "Invalid")?;
        same("warnings", warnings(&answer), vec!["299 - \"unknown field \\\"spec.bogus\\\"\""])?;
    }
    let stale = json!({"metadata": {"resourceVersion": "1"}, "spec": {"bogus": 1}});
    let answer = env.merge(&path, &stale).await?.refuses(409, "Conflict")?;
    same("warnings", warnings(&answer).len(), 1)
}

async fn a_body_may_be_large_but_not_too_large(env: &Env) -> Verdict {
    const MOST: usize = 3 * 1024 * 1024;
    let path = env.core("configmaps?dryRun=All");
    let sized = |size: usize| {
        let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}).to_string();
        format!("{}{body}", " ".repeat(size - body.len()))
    };
    env.send("POST", &path, "", &sized(MOST)).await?.is(201)?;
    let large = sized(MOST + 1);
    let (all, one) = (env.path(""), env.path("/a"));
    for (method, path, media) in [("POST", &path, ""), ("POST", &all, ""), ("PUT", &one, ""), ("PATCH", &one, MERGE)] {
        let answer = env.send(method, path, media, &large).await?.refuses(413, "RequestEntityTooLarge")?;
        same("message", text(&answer.body["message"]), "Request entity too large: limit is 3145728")?;
    }
    env.get(&path).await?.is(200).map(|_| ())
}

async fn an_object_may_be_large_but_not_too_large(env: &Env) -> Verdict {
    // The limit of a request to etcd, and space for metadata, managed fields and the key.
    const MOST: usize = 3 * 512 * 1024;
    const REST: usize = 2048;
    let note = |size: usize| json!({"note": "x".repeat(size)});
    env.post(&env.path(""), &widget("a", &note(MOST - REST))).await?.is(201)?;
    let refused = "etcdserver: request is too large";
    let (new, one) = (env.path(""), env.path("/a"));
    let large = widget("b", &note(MOST));
    let answers = [
        env.post(&new, &large).await?,
        env.merge(&one, &json!({"spec": note(MOST)})).await?,
        env.send("PATCH", &format!("{}?fieldManager=m", env.path("/b")), APPLY, &large.to_string()).await?,
    ];
    for answer in answers {
        let answer = answer.is(500)?;
        same("message", text(&answer.body["message"]), refused)?;
        same("reason", &answer.body["reason"], &Value::Null)?;
    }
    let answer = env.post(&new, &widget("b", &note(5 * MOST / 3))).await?.is(500)?;
    let message = text(&answer.body["message"]);
    let start = "rpc error: code = ResourceExhausted desc = trying to send message larger than max (";
    holds("the client of etcd has a limit, too", message.starts_with(start) && message.ends_with(" vs. 2097152)"))?;
    // A dry run stores nothing.
    env.post(&format!("{new}?dryRun=All"), &large).await?.is(201).map(drop)
}

async fn a_body_nested_too_deep_is_refused(env: &Env) -> Verdict {
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let head = format!("{{\"apiVersion\":\"{GROUP}/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"a\"}},\"spec\"");
    let body = format!("{head}:{}}}", deep(20_000));
    let answer = env.send("POST", &env.path(""), "", &body).await?.refuses(400, "BadRequest")?;
    let why = "couldn't get version/kind; json parse error: exceeded max depth ({\"apiVersion\":\"conform.evenkee ...)";
    holds("the depth is named", text(&answer.body["message"]).ends_with(why))?;
    let unclosed =
        env.send("POST", &env.core("configmaps"), "", &"[".repeat(11_000)).await?.refuses(400, "BadRequest")?;
    let why = "json parse error: exceeded max depth (5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b ...)";
    holds("what is no object is shown as bytes", text(&unclosed.body["message"]).ends_with(why))?;
    env.widget("a", json!({})).await?;
    let patch = format!("{{\"spec\":{}}}", deep(20_000));
    let answer = env.send("PATCH", &env.path("/a"), MERGE, &patch).await?;
    let answer = answer.refuses(400, "BadRequest")?;
    let why = "error decoding patch: invalid character '[' exceeded max depth";
    same("message", text(&answer.body["message"]), why)?;
    env.get(&env.path("/a")).await?.is(200).map(|_| ())
}

async fn a_deep_undeclared_field_is_dropped(env: &Env) -> Verdict {
    let deep = format!("{}1{}", "[".repeat(3_000), "]".repeat(3_000));
    let head = format!("{{\"apiVersion\":\"{GROUP}/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"a\"}}");
    let body = format!("{head},\"spec\":{{\"size\":1,\"bogus\":{deep}}}}}");
    let answer = env.send("POST", &env.path(""), "", &body).await?.is(201)?;
    same("spec", &answer.body["spec"]["bogus"], &Value::Null)?;
    let patch = format!("{{\"spec\":{{\"size\":2,\"bogus\":{deep}}}}}");
    let answer = env.send("PATCH", &env.path("/a"), MERGE, &patch).await?.is(200)?;
    same("spec", (&answer.body["spec"]["size"], &answer.body["spec"]["bogus"]), (&json!(2), &Value::Null))?;
    let map = format!("{{\"metadata\":{{\"name\":\"a\"}},\"data\":{{\"a\":\"b\"}},\"bogus\":{deep}}}");
    let answer = env.send("POST", &env.core("configmaps"), "", &map).await?.is(201)?;
    same("data", (&answer.body["data"]["a"], &answer.body["bogus"]), (&json!("b"), &Value::Null))
}
