//! Invalid input: the server rejects it with a code and a reason, and survives.

use serde_json::{Value, json};

use crate::check::{Verdict, same};
use crate::env::{Env, GROUP};
use crate::rule::rules;

rules!(
    a_body_that_is_no_object_is_a_bad_request,
    a_body_of_another_media_type_is_unsupported,
    a_config_map_of_more_than_a_megabyte_is_refused,
    a_wrong_value_in_the_query_is_refused,
    a_wrong_selector_is_a_bad_request,
    an_unknown_option_of_a_write_is_refused,
    a_wrong_kind_in_the_body_is_refused,
    a_wrong_type_in_the_metadata_is_a_bad_request,
    unknown_paths_are_not_found,
);

const MERGE: &str = "application/merge-patch+json";

/// Checks that the server still responds.
async fn alive(env: &Env) -> Verdict {
    env.get(&env.core("configmaps")).await?.is(200).map(|_| ())
}

async fn a_body_that_is_no_object_is_a_bad_request(env: &Env) -> Verdict {
    for body in [r#"{"a":"#, "", "[]", r#""x""#, "7", "{}}", "\u{0}"] {
        env.send("POST", &env.core("configmaps"), "", body).await?.refuses(400, "BadRequest")?;
        env.send("POST", &env.path(""), "", body).await?.refuses(400, "BadRequest")?;
    }
    env.widget("a", json!({})).await?;
    for body in ["{", "[]", "7"] {
        env.send("PATCH", &env.path("/a"), MERGE, body).await?.refuses(400, "BadRequest")?;
    }
    alive(env).await
}

async fn a_body_of_another_media_type_is_unsupported(env: &Env) -> Verdict {
    for media in ["text/plain", "application/xml", "application/x-www-form-urlencoded"] {
        env.send("POST", &env.core("configmaps"), media, "{}").await?.refuses(415, "UnsupportedMediaType")?;
        env.send("POST", &env.path(""), media, "{}").await?.refuses(415, "UnsupportedMediaType")?;
    }
    env.widget("a", json!({})).await?;
    for media in ["application/json", "application/strategic-merge-patch+json"] {
        env.send("PATCH", &env.path("/a"), media, "{}").await?.refuses(415, "UnsupportedMediaType")?;
    }
    alive(env).await
}

fn large(bytes: usize) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"}, "data": {"k": "x".repeat(bytes)}})
}

async fn a_config_map_of_more_than_a_megabyte_is_refused(env: &Env) -> Verdict {
    let answer = env.post(&env.core("configmaps"), &large(1_048_577)).await?.refuses(422, "Invalid")?;
    same("cause", &answer.body["details"]["causes"][0]["reason"], "FieldValueTooLong")?;
    env.post(&env.core("configmaps"), &large(1_000_000)).await?.is(201).map(|_| ())
}

async fn a_wrong_value_in_the_query_is_refused(env: &Env) -> Verdict {
    for query in ["limit=x", "timeoutSeconds=x", "continue=zzz", "resourceVersion=abc"] {
        env.get(&env.core(&format!("configmaps?{query}"))).await?.refuses(400, "BadRequest")?;
        env.get(&env.path(&format!("?{query}"))).await?.refuses(400, "BadRequest")?;
    }
    env.get(&env.core("configmaps?limit=-1")).await?.is(200)?;
    let unknown = "configmaps?resourceVersionMatch=Bogus&resourceVersion=1";
    env.get(&env.core(unknown)).await?.refuses(422, "Invalid").map(|_| ())
}

async fn a_wrong_selector_is_a_bad_request(env: &Env) -> Verdict {
    for query in ["labelSelector=%3D%3D", "labelSelector=a%20in%20(b", "fieldSelector=a", "fieldSelector=data.k%3D1"] {
        env.get(&env.core(&format!("configmaps?{query}"))).await?.refuses(400, "BadRequest")?;
        env.get(&env.core(&format!("configmaps?watch=true&{query}"))).await?.refuses(400, "BadRequest")?;
        env.send("DELETE", &env.core(&format!("configmaps?{query}")), "", "").await?.refuses(400, "BadRequest")?;
    }
    Ok(())
}

async fn an_unknown_option_of_a_write_is_refused(env: &Env) -> Verdict {
    let widget = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": {"name": "a"}});
    let manager = format!("fieldManager={}", "m".repeat(129));
    for query in ["dryRun=Some", manager.as_str()] {
        env.post(&env.path(&format!("?{query}")), &widget).await?.refuses(422, "Invalid")?;
    }
    env.post(&env.path(""), &widget).await?.is(201)?;
    env.send("DELETE", &env.path("/a?propagationPolicy=Bogus"), "", "").await?.refuses(422, "Invalid")?;
    env.send("DELETE", &env.path("/a"), "", "{").await?.refuses(400, "BadRequest")?;
    env.send("PATCH", &env.path("/a?force=true"), MERGE, "{}").await?.refuses(422, "Invalid")?;
    env.get(&env.path("/a")).await?.is(200).map(|_| ())
}

async fn a_wrong_kind_in_the_body_is_refused(env: &Env) -> Verdict {
    let object = |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}});
    for (version, kind) in [("v1", "Secret"), ("v2", "ConfigMap"), ("apps/v1", "ConfigMap")] {
        env.post(&env.core("configmaps"), &object(version, kind)).await?.refuses(400, "BadRequest")?;
    }
    for version in ["v1", "conform.evenkeel.dev/v2"] {
        env.post(&env.path(""), &object(version, "Widget")).await?.refuses(400, "BadRequest")?;
    }
    Ok(())
}

async fn a_wrong_type_in_the_metadata_is_a_bad_request(env: &Env) -> Verdict {
    for metadata in [
        json!({"name": 5}),
        json!({"name": "a", "labels": {"a": 5}}),
        json!("x"),
        json!({"name": "a", "finalizers": "x"}),
    ] {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        env.post(&env.core("configmaps"), &map).await?.refuses(400, "BadRequest")?;
    }
    Ok(())
}

async fn unknown_paths_are_not_found(env: &Env) -> Verdict {
    for path in ["/bogus", "/apis/bogus.evenkeel.dev/v1/things", "/api/v7/configmaps"] {
        same(path, env.get(path).await?.status, 404)?;
    }
    env.get(&env.core("bogus")).await?.refuses(404, "NotFound").map(|_| ())
}
