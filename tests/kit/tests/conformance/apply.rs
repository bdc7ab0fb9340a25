//! Server-side apply: ownership, conflicts and released fields.

use std::time::Duration;

use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, differ, refused, same};
use crate::env::{Answer, Env, text};
use crate::rule::rules;
use crate::status::deployment;

rules![
    an_apply_creates_and_owns_its_fields,
    an_apply_needs_a_manager,
    applying_the_same_again_writes_nothing,
    an_equal_value_is_shared_without_conflict,
    a_changed_value_of_another_manager_conflicts,
    force_takes_a_field,
    a_released_field_is_removed,
    a_released_field_of_two_owners_stays,
    applying_and_releasing_restores_the_object,
    a_manager_that_owns_nothing_disappears,
    items_of_a_keyed_list_have_separate_owners,
    set_members_have_separate_owners,
    an_undeclared_list_is_owned_as_a_whole,
    labels_have_separate_owners,
    an_update_takes_over_changed_fields,
    an_update_of_an_applied_field_conflicts_with_the_next_apply,
    other_writes_own_the_fields_they_set,
    a_status_apply_has_a_separate_entry,
    a_status_apply_of_an_absent_object_is_not_found,
    an_apply_at_an_old_version_conflicts,
    an_apply_of_a_wrong_type_is_refused,
    an_apply_of_an_undeclared_field_is_refused,
    managed_fields_in_an_apply_are_refused,
    an_apply_dry_run_stores_nothing,
    a_reset_of_managed_fields_leaves_no_owner,
    entries_are_in_order_of_operation_then_time,
    only_a_change_sets_a_new_time,
    containers_of_a_deployment_merge_by_name,
    the_client_applies_through_its_typed_call,
];

fn entries(answer: &Answer) -> Vec<&str> {
    let entries = answer.body["metadata"]["managedFields"].as_array();
    entries.into_iter().flatten().map(|entry| text(&entry["manager"])).collect()
}

async fn an_apply_creates_and_owns_its_fields(env: &Env) -> Verdict {
    let made = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1, "dict": {"k": "v"}}})).await?.is(201)?;
    same("owned", made.owned("m1"), json!({"f:spec": {"f:size": {}, "f:dict": {"f:k": {}}}}))?;
    let entry = made.entry("m1").ok_or("no entry")?;
    same("operation", &entry["operation"], "Apply")?;
    // A default of the schema has no owner.
    same("replicas", &made.body["spec"]["replicas"], 1)
}

async fn an_apply_needs_a_manager(env: &Env) -> Verdict {
    env.apply("a", "", json!({"spec": {}})).await?.refuses(422, "Invalid").map(|_| ())
}

async fn applying_the_same_again_writes_nothing(env: &Env) -> Verdict {
    let content = json!({"metadata": {"labels": {"l": "1"}}, "spec": {"size": 1, "env": [{"name": "A", "value": "1"}], "tags": ["x"]}});
    let made = env.apply("a", "fieldManager=m1", content.clone()).await?.is(201)?;
    let again = env.apply("a", "fieldManager=m1", content.clone()).await?.is(200)?;
    same("object", &again.body, &made.body)?;
    let forced = env.apply("a", "fieldManager=m1&force=true", content).await?.is(200)?;
    same("object", &forced.body, &made.body)
}

async fn an_equal_value_is_shared_without_conflict(env: &Env) -> Verdict {
    let first = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    let second = env.apply("a", "fieldManager=m2", json!({"spec": {"size": 1}})).await?.is(200)?;
    same("of the first", second.owned("m1"), json!({"f:spec": {"f:size": {}}}))?;
    same("of the second", second.owned("m2"), json!({"f:spec": {"f:size": {}}}))?;
    differ("version", second.version(), first.version())?;
    same("generation", &second.body["metadata"]["generation"], 1)
}

async fn a_changed_value_of_another_manager_conflicts(env: &Env) -> Verdict {
    let mine = json!({"metadata": {"labels": {"l": "1"}}, "spec": {"size": 1, "dict": {"a": "1"}}});
    env.apply("a", "fieldManager=m1", mine).await?.is(201)?;
    let other = json!({"metadata": {"labels": {"l": "2"}}, "spec": {"size": 2, "dict": {"a": "9", "b": "1"}}});
    let answer = env.apply("a", "fieldManager=m2", other).await?.refuses(409, "Conflict")?;
    same("fields", answer.fields(), vec![".metadata.labels.l", ".spec.dict.a", ".spec.size"])?;
    let cause = &answer.body["details"]["causes"][0];
    same("reason", &cause["reason"], "FieldManagerConflict")?;
    same("message", &cause["message"], "conflict with \"m1\"")
}

async fn force_takes_a_field(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1, "color": "red"}})).await?.is(201)?;
    let forced = env.apply("a", "fieldManager=m2&force=true", json!({"spec": {"size": 2}})).await?.is(200)?;
    same("size", &forced.body["spec"]["size"], 2)?;
    same("of the first", forced.owned("m1"), json!({"f:spec": {"f:color": {}}}))?;
    same("of the second", forced.owned("m2"), json!({"f:spec": {"f:size": {}}}))
}

async fn a_released_field_is_removed(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1, "color": "red", "dict": {"a": "1", "b": "2"}}}))
        .await?
        .is(201)?;
    let released =
        env.apply("a", "fieldManager=m1", json!({"spec": {"color": "red", "dict": {"b": "2"}}})).await?.is(200)?;
    same("spec", &released.body["spec"], &json!({"color": "red", "dict": {"b": "2"}, "replicas": 1}))
}

async fn a_released_field_of_two_owners_stays(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1, "color": "red"}})).await?.is(201)?;
    env.apply("a", "fieldManager=m2", json!({"spec": {"size": 1}})).await?.is(200)?;
    let released = env.apply("a", "fieldManager=m1", json!({"spec": {"color": "red"}})).await?.is(200)?;
    same("size", &released.body["spec"]["size"], 1)?;
    let last = env.apply("a", "fieldManager=m2", json!({"spec": {"color": "red"}})).await?.is(200)?;
    same("size", &last.body["spec"]["size"], &Value::Null)
}

async fn applying_and_releasing_restores_the_object(env: &Env) -> Verdict {
    env.widget("a", json!({"dict": {"own": "1"}, "env": [{"name": "X", "value": "1"}], "tags": ["x"]})).await?;
    let before = env.get(&env.path("/a")).await?;
    let more = json!({"metadata": {"labels": {"l": "1"}}, "spec": {"dict": {"more": "2"}, "env": [{"name": "Y", "value": "2"}],
        "tags": ["y"], "nested": {"c": {"d": "1"}}, "ports": [{"port": 80}]}});
    let between = env.apply("a", "fieldManager=m1", more).await?.is(200)?;
    differ("spec", &between.body["spec"], &before.body["spec"])?;
    let after = env.apply("a", "fieldManager=m1", json!({})).await?.is(200)?;
    same("spec", &after.body["spec"], &before.body["spec"])?;
    same("labels", &after.body["metadata"]["labels"], &Value::Null)
}

async fn a_manager_that_owns_nothing_disappears(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    env.apply("a", "fieldManager=m2", json!({"spec": {"color": "red"}})).await?.is(200)?;
    let gone = env.apply("a", "fieldManager=m1", json!({})).await?.is(200)?;
    same("entries", entries(&gone), vec!["m2"])
}

async fn items_of_a_keyed_list_have_separate_owners(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"env": [{"name": "A", "value": "1"}]}})).await?.is(201)?;
    let both =
        env.apply("a", "fieldManager=m2", json!({"spec": {"env": [{"name": "B", "value": "2"}]}})).await?.is(200)?;
    same("env", &both.body["spec"]["env"], &json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]))?;
    let key = json!({"f:spec": {"f:env": {"k:{\"name\":\"B\"}": {".": {}, "f:name": {}, "f:value": {}}}}});
    same("of the second", both.owned("m2"), key)?;
    let answer = env.apply("a", "fieldManager=m2", json!({"spec": {"env": [{"name": "A", "value": "9"}]}})).await?;
    let answer = answer.refuses(409, "Conflict")?;
    same("fields", answer.fields(), vec![".spec.env[name=\"A\"].value"])?;
    let released = env.apply("a", "fieldManager=m1", json!({})).await?.is(200)?;
    same("env", &released.body["spec"]["env"], &json!([{"name": "B", "value": "2"}]))
}

async fn set_members_have_separate_owners(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"tags": ["x", "y"]}})).await?.is(201)?;
    let both = env.apply("a", "fieldManager=m2", json!({"spec": {"tags": ["y", "z"]}})).await?.is(200)?;
    same("tags", &both.body["spec"]["tags"], &json!(["x", "y", "z"]))?;
    same("of the second", both.owned("m2"), json!({"f:spec": {"f:tags": {"v:\"y\"": {}, "v:\"z\"": {}}}}))?;
    let released = env.apply("a", "fieldManager=m1", json!({})).await?.is(200)?;
    same("tags", &released.body["spec"]["tags"], &json!(["y", "z"]))
}

async fn an_undeclared_list_is_owned_as_a_whole(env: &Env) -> Verdict {
    let made = env.apply("a", "fieldManager=m1", json!({"spec": {"plainList": ["x", "y"]}})).await?.is(201)?;
    same("of the first", made.owned("m1"), json!({"f:spec": {"f:plainList": {}}}))?;
    let answer = env.apply("a", "fieldManager=m2", json!({"spec": {"plainList": ["z"]}})).await?;
    same("fields", answer.refuses(409, "Conflict")?.fields(), vec![".spec.plainList"])
}

async fn labels_have_separate_owners(env: &Env) -> Verdict {
    env.apply(
        "a",
        "fieldManager=m1",
        json!({"metadata": {"labels": {"a": "1"}, "finalizers": ["conform.evenkeel.dev/f"]}}),
    )
    .await?
    .is(201)?;
    let both = env.apply("a", "fieldManager=m2", json!({"metadata": {"labels": {"b": "2"}}})).await?.is(200)?;
    same("labels", &both.body["metadata"]["labels"], &json!({"a": "1", "b": "2"}))?;
    let owned = json!({"f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {"v:\"conform.evenkeel.dev/f\"": {}}}});
    same("of the first", both.owned("m1"), owned)
}

async fn an_update_takes_over_changed_fields(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1, "color": "red"}})).await?.is(201)?;
    let path = env.path("/a?fieldManager=editor");
    let edited = env.merge(&path, &json!({"spec": {"size": 2}})).await?.is(200)?;
    same("of the applier", edited.owned("m1"), json!({"f:spec": {"f:color": {}}}))?;
    same("of the editor", edited.owned("editor"), json!({"f:spec": {"f:size": {}}}))?;
    same("operation", &edited.entry("editor").ok_or("no entry")?["operation"], "Update")
}

async fn an_update_of_an_applied_field_conflicts_with_the_next_apply(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    env.merge(&env.path("/a?fieldManager=editor"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    let answer = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.refuses(409, "Conflict")?;
    let message = text(&answer.body["details"]["causes"][0]["message"]);
    same("message", message, "conflict with \"editor\" using conform.evenkeel.dev/v1")
}

async fn other_writes_own_the_fields_they_set(env: &Env) -> Verdict {
    let body = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}});
    let made = env.post(&env.path("?fieldManager=maker"), &body).await?.is(201)?;
    // The creator owns the defaults that the schema sets at creation.
    same("of the maker", made.owned("maker"), json!({"f:spec": {".": {}, "f:replicas": {}, "f:size": {}}}))?;
    let unset = env
        .merge(&env.path("/a?fieldManager=editor"), &json!({"spec": {"size": null, "color": "red"}}))
        .await?
        .is(200)?;
    same("of the maker", unset.owned("maker"), json!({"f:spec": {".": {}, "f:replicas": {}}}))?;
    same("of the editor", unset.owned("editor"), json!({"f:spec": {"f:color": {}}}))
}

async fn status_apply(env: &Env, name: &str, status: Value) -> Result<Answer, Broken> {
    let body = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": name}, "status": status});
    let path = env.path(&format!("/{name}/status?fieldManager=m1"));
    env.send("PATCH", &path, "application/apply-patch+yaml", &body.to_string()).await
}

async fn a_status_apply_has_a_separate_entry(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    let applied = status_apply(env, "a", json!({"phase": "x", "conditions": [{"type": "Ready", "status": "True"}]}))
        .await?
        .is(200)?;
    let list = applied.body["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let of = |subresource: &Value| {
        list.iter().find(|entry| &entry["subresource"] == subresource).map(|entry| entry["fieldsV1"].clone())
    };
    let condition = json!({"k:{\"type\":\"Ready\"}": {".": {}, "f:type": {}, "f:status": {}}});
    same("of status", of(&json!("status")), Some(json!({"f:status": {"f:phase": {}, "f:conditions": condition}})))?;
    same("of the object", of(&Value::Null), Some(json!({"f:spec": {"f:size": {}}})))?;
    let again = status_apply(env, "a", json!({"phase": "x", "conditions": [{"type": "Ready", "status": "True"}]}))
        .await?
        .is(200)?;
    same("version", again.version(), applied.version())
}

async fn a_status_apply_of_an_absent_object_is_not_found(env: &Env) -> Verdict {
    status_apply(env, "a", json!({"phase": "x"})).await?.refuses(404, "NotFound").map(|_| ())
}

async fn an_apply_at_an_old_version_conflicts(env: &Env) -> Verdict {
    let first = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 2}})).await?.is(200)?;
    let late = json!({"metadata": {"resourceVersion": first.version()}, "spec": {"size": 3}});
    env.apply("a", "fieldManager=m1", late).await?.refuses(409, "Conflict").map(|_| ())
}

async fn an_apply_of_a_wrong_type_is_refused(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": "x"}})).await?.is(500)?;
    env.get(&env.path("/a")).await?.is(404).map(|_| ())
}

async fn an_apply_of_an_undeclared_field_is_refused(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"bogus": 1}})).await?.is(500).map(|_| ())
}

async fn managed_fields_in_an_apply_are_refused(env: &Env) -> Verdict {
    let answer = env.apply("a", "fieldManager=m1", json!({"metadata": {"managedFields": []}, "spec": {}})).await?;
    answer.refuses(400, "BadRequest").map(|_| ())
}

async fn an_apply_dry_run_stores_nothing(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1&dryRun=All", json!({"spec": {"size": 1}})).await?.is(201)?;
    env.get(&env.path("/a")).await?.is(404)?;
    let made = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    let shown = env.apply("a", "fieldManager=m1&dryRun=All", json!({"spec": {"size": 2}})).await?.is(200)?;
    same("shown", &shown.body["spec"]["size"], 2)?;
    same("stored", &env.get(&env.path("/a")).await?.body, &made.body)
}

async fn a_reset_of_managed_fields_leaves_no_owner(env: &Env) -> Verdict {
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    let reset = env.merge(&env.path("/a"), &json!({"metadata": {"managedFields": [{}]}})).await?.is(200)?;
    same("entries", entries(&reset), Vec::<&str>::new())?;
    env.apply("a", "fieldManager=m2", json!({"spec": {"size": 2}})).await?.refuses(409, "Conflict").map(|_| ())
}

async fn entries_are_in_order_of_operation_then_time(env: &Env) -> Verdict {
    let second = Duration::from_millis(1100);
    let body = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"size": 1}});
    env.post(&env.path("?fieldManager=z"), &body).await?.is(201)?;
    env.apply("a", "fieldManager=m", json!({"spec": {"color": "red"}})).await?.is(200)?;
    tokio::time::sleep(second).await;
    env.apply("a", "fieldManager=b", json!({"spec": {"label": "q"}})).await?.is(200)?;
    let last = env.merge(&env.path("/a?fieldManager=a"), &json!({"spec": {"note": "n"}})).await?.is(200)?;
    same("entries", entries(&last), vec!["m", "b", "z", "a"])
}

async fn only_a_change_sets_a_new_time(env: &Env) -> Verdict {
    let time = |answer: &Answer, manager: &str| answer.entry(manager).map(|entry| entry["time"].clone());
    let second = Duration::from_millis(1100);
    env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(201)?;
    let made = env.apply("a", "fieldManager=m2", json!({"spec": {"color": "red"}})).await?.is(200)?;
    tokio::time::sleep(second).await;
    let again = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 1}})).await?.is(200)?;
    same("time after no change", time(&again, "m1"), time(&made, "m1"))?;
    let changed = env.apply("a", "fieldManager=m1", json!({"spec": {"size": 2}})).await?.is(200)?;
    differ("time after a change", time(&changed, "m1"), time(&made, "m1"))?;
    same("time of the other", time(&changed, "m2"), time(&made, "m2"))
}

async fn containers_of_a_deployment_merge_by_name(env: &Env) -> Verdict {
    let path = format!("/apis/apps/v1/namespaces/{}/deployments/d", env.namespace);
    let apply = |manager: &str, body: Value| {
        let path = format!("{path}?fieldManager={manager}");
        async move { env.send("PATCH", &path, "application/apply-patch+yaml", &body.to_string()).await }
    };
    apply("m1", deployment()).await?.is(201)?;
    let side = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s", "ports": [{"containerPort": 80}]}]}}}});
    let both = apply("m2", side).await?.is(200)?;
    let containers =
        both.body.pointer("/spec/template/spec/containers").and_then(Value::as_array).cloned().unwrap_or_default();
    let names: Vec<&str> = containers.iter().map(|container| text(&container["name"])).collect();
    same("containers", names, vec!["c", "side"])?;
    let owned = both.owned("m2");
    let container = &owned["f:spec"]["f:template"]["f:spec"]["f:containers"]["k:{\"name\":\"side\"}"];
    let ports = json!({"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}});
    same("ports", &container["f:ports"], &ports)
}

async fn the_client_applies_through_its_typed_call(env: &Env) -> Verdict {
    let map =
        |value: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": value}});
    let mine = PatchParams::apply("m1");
    let made = env.maps().patch("a", &mine, &Patch::Apply(map("1"))).await?;
    same("data", made.data.and_then(|data| data.get("k").cloned()), Some("1".to_owned()))?;
    let other = PatchParams::apply("m2");
    refused(env.maps().patch("a", &other, &Patch::Apply(map("2"))).await, 409, "Conflict")?;
    let forced = env.maps().patch("a", &other.force(), &Patch::Apply(map("2"))).await?;
    same("data", forced.data.and_then(|data| data.get("k").cloned()), Some("2".to_owned()))
}
