//! Creating, updating and patching objects.

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::check::{Verdict, differ, fields, holds, json, refused, same};
use crate::env::{Env, with};
use crate::rule::rules;

rules![
    a_created_object_gets_a_server_generated_identity,
    a_second_object_of_the_same_name_already_exists,
    a_create_with_a_version_is_refused,
    generated_names_differ,
    an_object_without_any_name_is_refused,
    a_create_in_a_missing_namespace_is_not_found,
    a_replace_at_an_old_version_conflicts,
    a_replace_of_an_absent_object_is_not_found,
    a_custom_resource_is_not_replaced_without_a_version,
    a_config_map_may_be_replaced_without_a_version,
    a_lease_may_not_be_replaced_without_a_version,
    a_write_that_changes_nothing_keeps_the_version,
    identity_and_generation_in_a_replace_are_ignored,
    a_replace_under_another_identity_conflicts,
    a_deletion_time_cannot_be_written,
    another_name_in_the_body_is_refused,
    a_merge_patch_merges_maps_and_null_removes,
    a_merge_patch_at_an_old_version_conflicts,
    a_json_patch_tests_an_absent_field_against_null,
    a_failed_json_patch_test_is_invalid,
    an_unreadable_patch_is_a_bad_request,
    a_strategic_patch_of_a_custom_resource_is_unsupported,
    a_patch_of_an_absent_object_is_not_found,
    a_dry_run_stores_nothing,
    a_secret_merges_its_string_data,
    an_unsupported_method_is_refused,
    a_body_of_an_unknown_media_type_is_unsupported,
    an_unreadable_body_is_a_bad_request,
    a_body_of_another_kind_is_refused,
    a_manager_is_the_field_manager_or_user_agent,
    one_of_many_concurrent_creates_succeeds,
    concurrent_patches_all_succeed,
];

async fn a_created_object_gets_a_server_generated_identity(env: &Env) -> Verdict {
    let own = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "spec": {"size": 1},
        "metadata": {"name": "a", "uid": "00000000-0000-0000-0000-000000000001", "generation": 7, "creationTimestamp": "2020-01-01T00:00:00Z"}});
    let made = env.post(&env.path(""), &own).await?.is(201)?.body;
    let metadata = &made["metadata"];
    same("generation", &metadata["generation"], 1)?;
    differ("uid", &metadata["uid"], "00000000-0000-0000-0000-000000000001")?;
    differ("creationTimestamp", &metadata["creationTimestamp"], "2020-01-01T00:00:00Z")?;
    same("namespace", &metadata["namespace"], env.namespace.as_str())?;
    holds(
        "it has a version",
        metadata["resourceVersion"].as_str().is_some_and(|version| version.parse::<u64>().is_ok()),
    )
}

async fn a_second_object_of_the_same_name_already_exists(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let status = refused(env.widget("a", json!({})).await, 409, "AlreadyExists")?;
    same("name", status.details.as_ref().map(|details| details.name.as_str()), Some("a"))
}

async fn a_create_with_a_version_is_refused(env: &Env) -> Verdict {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": "1"}});
    env.post(&env.core("configmaps"), &body).await?.is(500)?;
    env.get(&env.core("configmaps/a")).await?.is(404).map(|_| ())
}

async fn generated_names_differ(env: &Env) -> Verdict {
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}});
    let mut names = Vec::new();
    for _ in 0..2 {
        let made = env.post(&env.core("configmaps"), &body).await?.is(201)?.body;
        names.push(made["metadata"]["name"].as_str().unwrap_or_default().to_owned());
    }
    holds("both begin as asked", names.iter().all(|name| name.starts_with("g-") && name.len() == 7))?;
    differ("names", &names[0], &names[1])
}

async fn an_object_without_any_name_is_refused(env: &Env) -> Verdict {
    let answer =
        env.post(&env.core("configmaps"), &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}})).await?;
    let answer = answer.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.name"])
}

async fn a_create_in_a_missing_namespace_is_not_found(env: &Env) -> Verdict {
    let nowhere = Env { namespace: "no-such-namespace".into(), ..env.clone() };
    let map = nowhere.map("a");
    refused(nowhere.maps().create(&PostParams::default(), &map).await, 404, "NotFound").map(|_| ())
}

async fn a_replace_at_an_old_version_conflicts(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    env.put(&env.path("/a"), &with(&first, json!({"spec": {"size": 2}}))).await?.is(200)?;
    let late = env.put(&env.path("/a"), &with(&first, json!({"spec": {"size": 3}}))).await?;
    late.refuses(409, "Conflict")?;
    same("size", &env.get(&env.path("/a")).await?.body["spec"]["size"], 2)
}

async fn a_replace_of_an_absent_object_is_not_found(env: &Env) -> Verdict {
    let first = env.widget("a", json!({})).await?;
    env.put(&env.path("/b"), &with(&first, json!({"metadata": {"name": "b"}})))
        .await?
        .refuses(404, "NotFound")
        .map(|_| ())
}

async fn a_custom_resource_is_not_replaced_without_a_version(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let body = with(&first, json!({"metadata": {"resourceVersion": null}}));
    let answer = env.put(&env.path("/a"), &body).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.resourceVersion"])
}

async fn a_config_map_may_be_replaced_without_a_version(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let mut other = env.map("a");
    other.data = Some([("k".to_owned(), "2".to_owned())].into());
    let replaced = env.maps().replace("a", &PostParams::default(), &other).await?;
    same("data", replaced.data, other.data)
}

async fn a_lease_may_not_be_replaced_without_a_version(env: &Env) -> Verdict {
    let leases: Api<Lease> = Api::namespaced(env.client.clone(), &env.namespace);
    let lease: Lease = serde_json::from_value(json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}))?;
    leases.create(&PostParams::default(), &lease).await?;
    let status = refused(leases.replace("l", &PostParams::default(), &lease).await, 422, "Invalid")?;
    same("fields", fields(&status), vec!["metadata.resourceVersion"])
}

async fn a_write_that_changes_nothing_keeps_the_version(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let version = first.metadata.resource_version.clone().unwrap_or_default();
    let path = env.path("/a");
    let put = env.put(&path, &json(&first)).await?.is(200)?;
    same("version after a replace", put.version(), version.clone())?;
    let merged = env.merge(&path, &json!({"spec": {"size": 1}})).await?.is(200)?;
    same("version after a merge patch", merged.version(), version.clone())?;
    let patched =
        env.json_patch(&path, &json!([{"op": "replace", "path": "/spec/size", "value": 1}])).await?.is(200)?;
    same("version after a JSON patch", patched.version(), version)?;
    let status = env.merge(&env.path("/a/status"), &json!({"status": {"phase": "x"}})).await?.is(200)?;
    let again = env.merge(&env.path("/a/status"), &json!({"status": {"phase": "x"}})).await?.is(200)?;
    same("version after a status patch", again.version(), status.version())
}

async fn identity_and_generation_in_a_replace_are_ignored(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let change = json!({"metadata": {"generation": 99, "creationTimestamp": "2020-01-01T00:00:00Z"}});
    let put = env.put(&env.path("/a"), &with(&first, change)).await?.is(200)?;
    same("generation", &put.body["metadata"]["generation"], 1)?;
    same("creation time", &put.body["metadata"]["creationTimestamp"], &json(&first)["metadata"]["creationTimestamp"])
}

async fn a_replace_under_another_identity_conflicts(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let other = with(&first, json!({"metadata": {"uid": "00000000-0000-0000-0000-000000000001"}}));
    env.put(&env.path("/a"), &other).await?.refuses(409, "Conflict")?;
    let patch = json!({"metadata": {"uid": "00000000-0000-0000-0000-000000000001"}});
    env.merge(&env.path("/a"), &patch).await?.refuses(422, "Invalid").map(|_| ())
}

async fn a_deletion_time_cannot_be_written(env: &Env) -> Verdict {
    let first = env.widget("a", json!({"size": 1})).await?;
    let body = with(&first, json!({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}}));
    let answer = env.put(&env.path("/a"), &body).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.deletionTimestamp"])
}

async fn another_name_in_the_body_is_refused(env: &Env) -> Verdict {
    let first = env.widget("a", json!({})).await?;
    let renamed = with(&first, json!({"metadata": {"name": "b"}}));
    env.put(&env.path("/a"), &renamed).await?.refuses(400, "BadRequest")?;
    env.merge(&env.path("/a"), &json!({"metadata": {"name": "b"}})).await?.refuses(400, "BadRequest")?;
    let elsewhere = with(&first, json!({"metadata": {"namespace": "other"}}));
    env.put(&env.path("/a"), &elsewhere).await?.refuses(400, "BadRequest").map(|_| ())
}

async fn a_merge_patch_merges_maps_and_null_removes(env: &Env) -> Verdict {
    env.widget("a", json!({"dict": {"a": "1", "b": "2"}, "tags": ["x"], "size": 1})).await?;
    let patch = Patch::Merge(json!({"spec": {"dict": {"a": null, "c": "3"}, "tags": ["y", "z"]}}));
    let patched = env.widgets().patch("a", &PatchParams::default(), &patch).await?;
    same("dict", &patched.data["spec"]["dict"], &json!({"b": "2", "c": "3"}))?;
    same("tags", &patched.data["spec"]["tags"], &json!(["y", "z"]))?;
    same("size", &patched.data["spec"]["size"], 1)
}

async fn a_merge_patch_at_an_old_version_conflicts(env: &Env) -> Verdict {
    let first = json(&env.widget("a", json!({"size": 1})).await?);
    env.merge(&env.path("/a"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    let late = json!({"metadata": {"resourceVersion": first["metadata"]["resourceVersion"]}, "spec": {"size": 3}});
    env.merge(&env.path("/a"), &late).await?.refuses(409, "Conflict").map(|_| ())
}

async fn a_json_patch_tests_an_absent_field_against_null(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let patch = json!([{"op": "test", "path": "/metadata/finalizers", "value": null},
        {"op": "add", "path": "/metadata/finalizers", "value": ["conform.evenkeel.dev/f"]}]);
    let patched = env.json_patch(&env.path("/a"), &patch).await?.is(200)?;
    same("finalizers", &patched.body["metadata"]["finalizers"], &json!(["conform.evenkeel.dev/f"]))?;
    env.json_patch(&env.path("/a"), &patch).await?.refuses(422, "Invalid").map(|_| ())
}

async fn a_failed_json_patch_test_is_invalid(env: &Env) -> Verdict {
    env.widget("a", json!({"size": 1})).await?;
    let patch =
        json!([{"op": "test", "path": "/spec/size", "value": 2}, {"op": "replace", "path": "/spec/size", "value": 3}]);
    env.json_patch(&env.path("/a"), &patch).await?.refuses(422, "Invalid")?;
    same("size", &env.get(&env.path("/a")).await?.body["spec"]["size"], 1)
}

async fn an_unreadable_patch_is_a_bad_request(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    for media in ["application/merge-patch+json", "application/json-patch+json"] {
        env.send("PATCH", &env.path("/a"), media, "{bad").await?.refuses(400, "BadRequest")?;
    }
    Ok(())
}

async fn a_strategic_patch_of_a_custom_resource_is_unsupported(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let answer = env.send("PATCH", &env.path("/a"), "application/strategic-merge-patch+json", "{}").await?;
    answer.refuses(415, "UnsupportedMediaType").map(|_| ())
}

async fn a_patch_of_an_absent_object_is_not_found(env: &Env) -> Verdict {
    env.merge(&env.path("/a"), &json!({"spec": {"size": 1}})).await?.refuses(404, "NotFound").map(|_| ())
}

async fn a_dry_run_stores_nothing(env: &Env) -> Verdict {
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    env.maps().create(&dry, &env.map("a")).await?;
    same("stored", env.maps().get_opt("a").await?, None)?;
    let made = env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let patch = Patch::Merge(json!({"data": {"k": "2"}}));
    let shown = env.maps().patch("a", &PatchParams { dry_run: true, ..PatchParams::default() }, &patch).await?;
    same("shown", shown.data.and_then(|data| data.get("k").cloned()), Some("2".to_owned()))?;
    env.maps().delete("a", &kube::api::DeleteParams::default().dry_run()).await?;
    same("stored", env.maps().get("a").await?, made)
}

async fn a_secret_merges_its_string_data(env: &Env) -> Verdict {
    let body = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "v"}});
    let made = env.post(&env.core("secrets"), &body).await?.is(201)?.body;
    same("data", &made["data"], &json!({"k": "dg=="}))?;
    same("stringData", &made["stringData"], &Value::Null)
}

async fn an_unsupported_method_is_refused(env: &Env) -> Verdict {
    let map = json(&env.maps().create(&PostParams::default(), &env.map("a")).await?);
    env.put(&env.core("configmaps"), &map).await?.refuses(405, "MethodNotAllowed")?;
    env.post(&env.core("configmaps/a"), &map).await?.refuses(405, "MethodNotAllowed").map(|_| ())
}

async fn a_body_of_an_unknown_media_type_is_unsupported(env: &Env) -> Verdict {
    let answer = env.send("POST", &env.core("configmaps"), "text/plain", "{}").await?;
    answer.refuses(415, "UnsupportedMediaType").map(|_| ())
}

async fn an_unreadable_body_is_a_bad_request(env: &Env) -> Verdict {
    for path in [env.core("configmaps"), env.path("")] {
        env.send("POST", &path, "", "{bad").await?.refuses(400, "BadRequest")?;
    }
    Ok(())
}

async fn a_body_of_another_kind_is_refused(env: &Env) -> Verdict {
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    env.post(&env.core("configmaps"), &secret).await?.refuses(400, "BadRequest")?;
    env.post(&env.path(""), &secret).await?.refuses(400, "BadRequest").map(|_| ())
}

async fn a_manager_is_the_field_manager_or_user_agent(env: &Env) -> Verdict {
    let path = env.core("configmaps/a");
    let body = json(&with(&env.map("a"), json!({"apiVersion": "v1", "kind": "ConfigMap"})));
    let made = env.post(&env.core("configmaps"), &body).await?.is(201)?;
    holds("who says nothing is unknown", made.entry("unknown").is_some())?;
    let named = env.merge(&format!("{path}?fieldManager=me"), &json!({"data": {"l": "1"}})).await?.is(200)?;
    holds("who says a name has it", named.entry("me").is_some())?;
    let request = http::Request::patch(&path).header("Content-Type", "application/merge-patch+json");
    let request = request.header("User-Agent", "agent/1.0 (linux)").body(br#"{"data":{"m":"1"}}"#.to_vec())?;
    let map: Value = env.client.request(request).await?;
    let entries = map["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    holds("else the agent is the name", entries.iter().any(|entry| entry["manager"] == "agent"))
}

async fn one_of_many_concurrent_creates_succeeds(env: &Env) -> Verdict {
    let create = |_| async { env.maps().create(&PostParams::default(), &env.map("a")).await };
    let answers = futures::future::join_all((0..10).map(create)).await;
    let (made, failed): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    same("made", made.len(), 1)?;
    failed.into_iter().try_for_each(|answer| refused(answer, 409, "AlreadyExists").map(|_| ()))
}

async fn concurrent_patches_all_succeed(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let patch = |number: i32| async move {
        let key = format!("k{number}");
        env.merge(&env.path("/a"), &json!({"spec": {"dict": {key: "v"}}})).await?.is(200)
    };
    futures::future::try_join_all((0..5).map(patch)).await?;
    let stored = env.get(&env.path("/a")).await?.body;
    same("keys", stored["spec"]["dict"].as_object().map(serde_json::Map::len), Some(5))
}
