//! Deletion: finalizers, preconditions, collections.

use kube::api::{DeleteParams, ListParams, PostParams, Preconditions};
use serde_json::json;

use crate::check::{Broken, Verdict, differ, holds, refused, same};
use crate::env::{Answer, Env, map};
use crate::rule::rules;

rules![
    a_deleted_object_is_gone,
    a_delete_returns_a_status_or_the_remaining_object,
    a_delete_of_an_absent_object_is_not_found,
    finalizers_delay_deletion,
    removing_the_last_finalizer_deletes_the_object,
    no_finalizer_is_added_while_deleting,
    a_second_delete_changes_nothing,
    a_name_is_taken_until_its_object_is_removed,
    other_fields_may_be_written_while_deleting,
    deletion_preconditions_must_hold,
    a_collection_is_deleted_by_selector,
    deletion_options_are_read_from_the_query_too,
];

const FINALIZER: &str = "conform.evenkeel.dev/f";

/// A widget that is being deleted and has a finalizer.
async fn held(env: &Env) -> Result<Answer, Broken> {
    env.widget("a", json!({"size": 1})).await?;
    env.merge(&env.path("/a"), &json!({"metadata": {"finalizers": [FINALIZER]}})).await?.is(200)?;
    env.send("DELETE", &env.path("/a"), "", "").await?.is(200)
}

async fn a_deleted_object_is_gone(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    env.maps().delete("a", &DeleteParams::default()).await?;
    same("stored", env.maps().get_opt("a").await?, None)
}

async fn a_delete_returns_a_status_or_the_remaining_object(env: &Env) -> Verdict {
    let widget = env.widget("b", json!({})).await?;
    let status = env.widgets().delete("b", &DeleteParams::default()).await?;
    let status = status.right().ok_or("expected a status")?;
    same("uid", status.details.map(|details| details.uid), widget.metadata.uid)?;
    let object = held(env).await?;
    same("kind", &object.body["kind"], "Widget")
}

async fn a_delete_of_an_absent_object_is_not_found(env: &Env) -> Verdict {
    refused(env.maps().delete("a", &DeleteParams::default()).await, 404, "NotFound").map(|_| ())
}

async fn finalizers_delay_deletion(env: &Env) -> Verdict {
    let answer = held(env).await?;
    let metadata = &answer.body["metadata"];
    holds("it has a deletion time", metadata["deletionTimestamp"].is_string())?;
    same("grace", &metadata["deletionGracePeriodSeconds"], 0)?;
    let stored = env.get(&env.path("/a")).await?.is(200)?;
    same("version", stored.version(), answer.version())
}

async fn removing_the_last_finalizer_deletes_the_object(env: &Env) -> Verdict {
    let held_body = held(env).await?.body;
    let last = env.merge(&env.path("/a"), &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    same("kind", &last.body["kind"], "Widget")?;
    env.get(&env.path("/a")).await?.refuses(404, "NotFound")?;
    let again = held(env).await?.body;
    differ("uid", &again["metadata"]["uid"], &held_body["metadata"]["uid"])?;
    let remove = json!([{"op": "remove", "path": "/metadata/finalizers/0"}]);
    env.json_patch(&env.path("/a"), &remove).await?.is(200)?;
    env.get(&env.path("/a")).await?.refuses(404, "NotFound").map(|_| ())
}

async fn no_finalizer_is_added_while_deleting(env: &Env) -> Verdict {
    held(env).await?;
    let more = json!({"metadata": {"finalizers": [FINALIZER, "conform.evenkeel.dev/g"]}});
    let answer = env.merge(&env.path("/a"), &more).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.finalizers"])
}

async fn a_second_delete_changes_nothing(env: &Env) -> Verdict {
    let first = held(env).await?;
    let second = env.send("DELETE", &env.path("/a"), "", "").await?.is(200)?;
    same("version", second.version(), first.version())
}

async fn a_name_is_taken_until_its_object_is_removed(env: &Env) -> Verdict {
    held(env).await?;
    refused(env.widget("a", json!({})).await, 409, "AlreadyExists").map(|_| ())
}

async fn other_fields_may_be_written_while_deleting(env: &Env) -> Verdict {
    held(env).await?;
    let written = env.merge(&env.path("/a"), &json!({"spec": {"size": 5}})).await?.is(200)?;
    same("size", &written.body["spec"]["size"], 5)?;
    let status = env.merge(&env.path("/a/status"), &json!({"status": {"phase": "ending"}})).await?.is(200)?;
    same("phase", &status.body["status"]["phase"], "ending")
}

async fn deletion_preconditions_must_hold(env: &Env) -> Verdict {
    let map = env.maps().create(&PostParams::default(), &env.map("a")).await?;
    let only = |uid: Option<&str>, version: Option<&str>| {
        let preconditions = Preconditions { uid: uid.map(str::to_owned), resource_version: version.map(str::to_owned) };
        DeleteParams::default().preconditions(preconditions)
    };
    let other = only(Some("00000000-0000-0000-0000-000000000001"), None);
    refused(env.maps().delete("a", &other).await, 409, "Conflict")?;
    refused(env.maps().delete("a", &only(None, Some("1"))).await, 409, "Conflict")?;
    let right = only(map.metadata.uid.as_deref(), map.metadata.resource_version.as_deref());
    env.maps().delete("a", &right).await?;
    same("stored", env.maps().get_opt("a").await?, None)
}

async fn a_collection_is_deleted_by_selector(env: &Env) -> Verdict {
    for (name, label) in [("a", "x"), ("b", "y"), ("c", "x")] {
        let map = map(json!({"metadata": {"name": name, "labels": {"l": label}}}));
        env.maps().create(&PostParams::default(), &map).await?;
    }
    env.maps().delete_collection(&DeleteParams::default(), &ListParams::default().labels("l=x")).await?;
    let rest = env.maps().list(&ListParams::default()).await?;
    let names: Vec<_> = rest.items.into_iter().filter_map(|map| map.metadata.name).collect();
    same("left", names, vec!["b"])
}

async fn deletion_options_are_read_from_the_query_too(env: &Env) -> Verdict {
    env.maps().create(&PostParams::default(), &env.map("a")).await?;
    env.send("DELETE", &env.core("configmaps/a?dryRun=All"), "", "").await?.is(200)?;
    env.get(&env.core("configmaps/a")).await?.is(200)?;
    let orphan = env.send("DELETE", &env.core("configmaps/a?propagationPolicy=Foreground"), "", "").await?.is(200)?;
    same("finalizers", &orphan.body["metadata"]["finalizers"], &json!(["foregroundDeletion"])).or_else(|broken| {
        // The object was already collected, so the response is only a status.
        if orphan.body["kind"] == "Status" { Ok(()) } else { Err(broken) }
    })
}
