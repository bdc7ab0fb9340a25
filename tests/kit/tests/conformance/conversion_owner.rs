//! Conversion of CRDs: the owners of fields in several versions.

use http::StatusCode;
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, same};
use crate::conversion_server::{cat, crd, path, with_cats};
use crate::env::{Answer, CRDS, Env, text};
use crate::rule::rules;
use crate::webhook_server::Reply;

rules![
    owners_conflict_across_versions,
    an_apply_in_another_version_releases_fields,
    a_failed_conversion_removes_all_owners,
    a_field_that_an_owners_version_lacks_removes_all_owners,
    an_owner_in_a_removed_version_blocks_applies,
];

/// Applies a spec with a manager and more of the query.
async fn apply(env: &Env, version: &str, name: &str, query: &str, spec: &Value) -> Result<Answer, Broken> {
    let (path, body) = (path(env, version, &format!("/{name}?fieldManager={query}")), cat(env, version, name, spec));
    env.send("PATCH", &path, "application/apply-patch+yaml", &body.to_string()).await
}

/// Checks the manager, the version and the fields of each entry.
fn owners(answer: &Answer, expected: &[(&str, &str, &[&str])]) -> Verdict {
    let entries = answer.body["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default();
    let found = |entry: &Value| {
        let fields = entry["fieldsV1"]["f:spec"].as_object().into_iter().flatten();
        let names: Vec<String> = fields.map(|(name, _)| name.trim_start_matches("f:").to_owned()).collect();
        let version = text(&entry["apiVersion"]).rsplit('/').next().unwrap_or_default().to_owned();
        (text(&entry["manager"]).to_owned(), version, names)
    };
    let mut all: Vec<_> = entries.iter().map(found).collect();
    all.sort();
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let expected: Vec<_> = expected
        .iter()
        .map(|(manager, version, names)| ((*manager).to_owned(), (*version).to_owned(), owned(names)))
        .collect();
    same("owners", all, expected)
}

async fn owners_conflict_across_versions(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        apply(env, "v1", "a", "a", &json!({"size": 1})).await?.is(201)?;
        let equal = apply(env, "v2", "a", "b", &json!({"length": 1})).await?.is(200)?;
        owners(&equal, &[("a", "v1", &["size"]), ("b", "v2", &["length"])])?;
        let refused = apply(env, "v2", "a", "c", &json!({"length": 2})).await?.refuses(409, "Conflict")?;
        same("fields", refused.fields(), [".spec.length", ".spec.size"])?;
        let forced = apply(env, "v2", "a", "b&force=true", &json!({"length": 2})).await?.is(200)?;
        owners(&forced, &[("b", "v2", &["length"])])?;
        same("forced", cats.spec("v1", "a").await?, json!({"size": 2, "n": 1}))?;
        let patched = env.merge(&cats.path("v1", "/a?fieldManager=c"), &json!({"spec": {"size": 3}})).await?.is(200)?;
        owners(&patched, &[("c", "v1", &["size"])])?;
        let sent = env.get(&cats.path("v2", "/a")).await?.is(200)?.body;
        let replaced = env.put(&cats.path("v2", "/a?fieldManager=d"), &changed(sent, 4)).await?.is(200)?;
        owners(&replaced, &[("d", "v2", &["length"])])
    })
    .await
}

fn changed(mut cat: Value, length: u8) -> Value {
    cat["spec"]["length"] = json!(length);
    cat
}

async fn an_apply_in_another_version_releases_fields(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        apply(env, "v1", "a", "a", &json!({"size": 1, "n": 3})).await?.is(201)?;
        let released = apply(env, "v2", "a", "a", &json!({"n": 3})).await?.is(200)?;
        owners(&released, &[("a", "v2", &["n"])])?;
        same("released", cats.spec("v1", "a").await?, json!({"n": 3}))?;
        apply(env, "v1", "b", "a", &json!({"size": 1, "n": 3})).await?.is(201)?;
        apply(env, "v2", "b", "b", &json!({"length": 1})).await?.is(200)?;
        let shared = apply(env, "v2", "b", "a", &json!({"n": 3})).await?.is(200)?;
        owners(&shared, &[("a", "v2", &["n"]), ("b", "v2", &["length"])])?;
        same("shared", cats.spec("v1", "b").await?, json!({"size": 1, "n": 3}))
    })
    .await
}

async fn a_failed_conversion_removes_all_owners(env: &Env) -> Verdict {
    with_cats(env, |cats| async move {
        apply(env, "v1", "a", "a", &json!({"size": 1})).await?.is(201)?;
        apply(env, "v2", "a", "b", &json!({"n": 2})).await?.is(200)?;
        cats.hooks.reply("convert", Reply::Code(StatusCode::NOT_FOUND));
        let refused = apply(env, "v1", "a", "a", &json!({"size": 2})).await?.refuses(500, "")?;
        let why = "failed: the server could not find the requested resource";
        let message = format!("conversion webhook for {}/v1, Kind=Cat {why}", env.group());
        same("message", text(&refused.body["message"]), message)?;
        let patched = env.merge(&cats.path("v1", "/a"), &json!({"spec": {"size": 3}})).await?.is(200)?;
        owners(&patched, &[])
    })
    .await
}

async fn a_field_that_an_owners_version_lacks_removes_all_owners(env: &Env) -> Verdict {
    env.define(&crd(env, &json!({"strategy": "None"}))).await?;
    let served = || async { Ok((env.get(&path(env, "v2", "")).await?.status == 200).then_some(())) };
    eventually("the second version is served", served).await?;
    apply(env, "v1", "a", "a", &json!({"n": 2})).await?.is(201)?;
    let refused = apply(env, "v2", "a", "b", &json!({"length": 1})).await?.refuses(500, "")?;
    let message = "failed to convert new object: .spec.length: field not declared in schema";
    same("message", text(&refused.body["message"]), message)?;
    let patched = env.merge(&path(env, "v2", "/a"), &json!({"spec": {"length": 1}})).await?.is(200)?;
    owners(&patched, &[])
}

async fn an_owner_in_a_removed_version_blocks_applies(env: &Env) -> Verdict {
    let mut crd = crd(env, &json!({"strategy": "None"}));
    env.define(&crd).await?;
    for name in ["a", "b"] {
        apply(env, "v1", name, "a", &json!({"n": 2})).await?.is(201)?;
    }
    let stored = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
    let versions = crd["spec"]["versions"].as_array_mut().ok_or("versions")?;
    versions.remove(0);
    versions[0]["storage"] = json!(true);
    let moved = json!([{"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true}]);
    env.json_patch(&stored, &moved).await?.is(200)?;
    env.merge(&format!("{stored}/status"), &json!({"status": {"storedVersions": ["v2"]}})).await?.is(200)?;
    for name in ["a", "b"] {
        rewritten(env, name).await?;
    }
    env.merge(&stored, &json!({"spec": {"versions": crd["spec"]["versions"]}})).await?.is(200)?;
    let refused = || async {
        let tried = apply(env, "v2", "a", "a&dryRun=All", &json!({"n": 2})).await?;
        Ok((tried.status == 500).then_some(()))
    };
    eventually("the first version is gone", refused).await?;

    let message = format!("request to convert CR to an invalid group/version: {}/v1", env.group());
    for query in ["a", "a&force=true", "b"] {
        let refused = apply(env, "v2", "a", query, &json!({"n": 2})).await?.refuses(500, "")?;
        same(query, text(&refused.body["message"]), message.as_str())?;
    }
    let patched = env.merge(&path(env, "v2", "/b"), &json!({"spec": {"n": 3}})).await?.is(200)?;
    owners(&patched, &[])?;
    let applied = apply(env, "v2", "b", "a&force=true", &json!({"n": 3})).await?.is(200)?;
    same("owned", &applied.owned("a"), &json!({"f:spec": {"f:n": {}}}))
}

/// Stores an object in the new storage version, as soon as this version has changed.
async fn rewritten(env: &Env, name: &str) -> Verdict {
    let path = path(env, "v2", &format!("/{name}"));
    let before = env.get(&path).await?.is(200)?.version();
    let written = || async { Ok((env.merge(&path, &json!({})).await?.is(200)?.version() != before).then_some(())) };
    eventually("the object is stored anew", written).await
}
