//! Conversion webhooks of CRDs: objects that are stored in v1, and served in v2, too.

use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::conversion_server::with_cats;
use crate::env::{Env, text};
use crate::rule::rules;
use crate::webhook_server::named;

rules![
    an_object_is_converted_when_it_is_read_or_written,
    a_list_and_a_watch_are_converted,
    patches_are_applied_in_the_version_of_the_request,
    a_conversion_reviews_one_object,
    an_object_is_checked_in_the_version_of_the_request,
    a_webhook_reviews_the_version_of_its_rule,
];

async fn an_object_is_converted_when_it_is_read_or_written(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let made = cats.create("v1", "a", json!({"size": 3})).await?.is(201)?;
        same("created", &made.body["spec"], &json!({"size": 3, "n": 1}))?;
        let read = env.get(&cats.path("v2", "/a")).await?.is(200)?;
        same("v2", &read.body["spec"], &json!({"length": 3, "n": 1}))?;
        same("version", &read.body["apiVersion"], &json!(format!("{}/v2", env.group())))?;
        same("metadata", &read.body["metadata"], &made.body["metadata"])?;
        let made = cats.create("v2", "b", json!({"length": 4})).await?.is(201)?;
        same("created in v2", &made.body["spec"], &json!({"length": 4, "n": 1}))?;
        same("v1", cats.spec("v1", "b").await?, json!({"size": 4, "n": 1}))?;
        let mut sent = made.body.clone();
        sent["spec"]["length"] = json!(2);
        let written = env.put(&cats.path("v2", "/b"), &sent).await?.is(200)?;
        same("generation", &written.body["metadata"]["generation"], 2)?;
        same("replaced", cats.spec("v1", "b").await?, json!({"size": 2, "n": 1}))?;
        let same_version = env.put(&cats.path("v2", "/b"), &written.body).await?.is(200)?.version();
        same("unchanged", same_version, written.version())?;
        let deleted = env.send("DELETE", &cats.path("v2", "/b"), "", "").await?.is(200)?;
        same("deleted", &deleted.body["details"]["name"], "b")
    })
    .await
}

async fn a_list_and_a_watch_are_converted(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        for (name, size) in [("a", 1), ("b", 2)] {
            cats.create("v1", name, json!({"size": size})).await?.is(201)?;
        }
        let listed = env.get(&cats.path("v2", "")).await?.is(200)?;
        let lengths: Vec<&Value> =
            listed.body["items"].as_array().into_iter().flatten().map(|item| &item["spec"]["length"]).collect();
        same("lengths", lengths, [&json!(1), &json!(2)])?;
        let version = text(&listed.body["metadata"]["resourceVersion"]);
        cats.create("v2", "c", json!({"length": 3})).await?.is(201)?;
        env.merge(&cats.path("v1", "/a"), &json!({"spec": {"size": 4}})).await?.is(200)?;
        env.send("DELETE", &cats.path("v1", "/b"), "", "").await?.is(200)?;
        let path = cats.path("v2", &format!("?watch=true&timeoutSeconds=3&resourceVersion={version}"));
        let events = env.get(&path).await?.is(200)?.body;
        let events = text(&events).lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
        let seen: Vec<(&str, &Value)> =
            events.iter().map(|event| (text(&event["type"]), &event["object"]["spec"]["length"])).collect();
        same("events", seen, [("ADDED", &json!(3)), ("MODIFIED", &json!(4)), ("DELETED", &json!(2))])
    })
    .await
}

async fn patches_are_applied_in_the_version_of_the_request(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        let path = cats.path("v2", "/a");
        let patched = env.merge(&path, &json!({"spec": {"length": 2}})).await?.is(200)?;
        same("merge", &patched.body["spec"]["length"], 2)?;
        env.json_patch(&path, &json!([{"op": "replace", "path": "/spec/length", "value": 3}])).await?.is(200)?;
        same("json patch", cats.spec("v1", "a").await?, json!({"size": 3, "n": 1}))?;
        let config = cats.cat("v2", "a", json!({"length": 4})).to_string();
        let media = "application/apply-patch+yaml";
        let applied =
            env.send("PATCH", &format!("{path}?fieldManager=me&force=true"), media, &config).await?.is(200)?;
        same("owned", &applied.owned("me")["f:spec"], &json!({"f:length": {}}))?;
        same("applied", cats.spec("v1", "a").await?, json!({"size": 4, "n": 1}))?;
        let status = env.merge(&format!("{path}/status"), &json!({"status": {"phase": "ready"}})).await?.is(200)?;
        same(
            "status",
            [&status.body["status"]["phase"], &status.body["spec"]["length"]],
            [&json!("ready"), &json!(4)],
        )?;
        same("scale", &env.get(&format!("{path}/scale")).await?.is(200)?.body["spec"]["replicas"], 1)?;
        let scaled = env.merge(&format!("{path}/scale"), &json!({"spec": {"replicas": 5}})).await?.is(200)?;
        same("scaled", &scaled.body["spec"]["replicas"], 5)?;
        same("all", cats.spec("v1", "a").await?, json!({"size": 4, "n": 5}))
    })
    .await
}

async fn a_conversion_reviews_one_object(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let made = cats.create("v1", "a", json!({"size": 1})).await?.is(201)?;
        cats.hooks.take();
        env.get(&cats.path("v2", "/a")).await?.is(200)?;
        let calls = cats.hooks.take();
        let request = &calls.first().ok_or("the webhook is called")?.1;
        same("version", &request["desiredAPIVersion"], &json!(format!("{}/v2", env.group())))?;
        holds("uid", text(&request["uid"]).len() == 36)?;
        let objects = request["objects"].as_array().map(Vec::as_slice).unwrap_or_default();
        same("count", objects.len(), 1)?;
        let (object, stored) = (&objects[0], &made.body);
        same(
            "object",
            [&object["apiVersion"], &object["kind"], &object["spec"]],
            [&stored["apiVersion"], &stored["kind"], &stored["spec"]],
        )?;
        same("uid", &object["metadata"]["uid"], &stored["metadata"]["uid"])?;
        same("no version", &object["metadata"]["resourceVersion"], &Value::Null)?;
        cats.hooks.take();
        cats.create("v1", "b", json!({"size": 1})).await?.is(201)?;
        env.get(&cats.path("v1", "/b")).await?.is(200)?;
        let to_v1 = |request: &Value| text(&request["desiredAPIVersion"]).ends_with("/v1");
        holds(
            "a read of the stored version is not converted",
            !cats.hooks.take().iter().any(|(_, request)| to_v1(request)),
        )
    })
    .await
}

async fn an_object_is_checked_in_the_version_of_the_request(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let answer = cats.create("v2", "a", json!({"length": 10})).await?.refuses(422, "Invalid")?;
        same("fields", answer.fields(), ["spec.length"])?;
        cats.create("v2", "a", json!({"length": 8})).await?.is(201)?;
        same("v1", &cats.spec("v1", "a").await?["size"], 8)?;
        let answer = cats.create("v1", "b", json!({"size": 8})).await?.refuses(422, "Invalid")?;
        same("fields", answer.fields(), ["spec.size"])
    })
    .await
}

async fn a_webhook_reviews_the_version_of_its_rule(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        let rules = |version: &str| {
            json!({"rules": [{"apiGroups": [env.group()], "apiVersions": [version], "operations": ["CREATE", "UPDATE"], "resources": ["cats"]}]})
        };
        let all = vec![cats.hooks.entry("old", rules("v1")), cats.hooks.entry("w", json!({}))];
        cats.hooks.configure(env, "Mutating", "m", all).await?;
        cats.hooks.ready(env, "w").await?;
        cats.hooks.patch("old", &json!([{"op": "replace", "path": "/spec/size", "value": 5}]));
        let made = cats.create("v2", "a", json!({"length": 2})).await?.is(201)?;
        same("patched", &made.body["spec"]["length"], 5)?;
        let calls = cats.hooks.take();
        let reviews: Vec<&Value> = calls.iter().filter(|(name, _)| name == "old").map(|(_, request)| request).collect();
        let review = reviews.first().ok_or_else(|| format!("no review in {:?}", named(&calls)))?;
        same("spec", &review["object"]["spec"], &json!({"size": 2, "n": 1}))?;
        same("kinds", [&review["kind"]["version"], &review["requestKind"]["version"]], ["v1", "v2"])
    })
    .await
}
