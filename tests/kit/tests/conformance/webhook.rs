//! Admission webhooks: their order, what they see, and the effect of their patches.

use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::env::{Env, text};
use crate::rule::rules;
use crate::webhook_server::{Webhook, mutating, named, validating, widget, without_owners};

rules![
    mutating_webhooks_are_called_by_the_name_of_their_configuration,
    a_mutating_webhook_sees_an_object_without_uid,
    a_validating_webhook_sees_the_object_as_it_will_be_stored,
    a_generated_name_is_seen_by_validating_webhooks_only,
    an_invalid_object_reaches_no_validating_webhook,
    a_patch_is_seen_by_the_next_webhook,
    a_removed_default_is_back_before_the_next_webhook,
    fields_of_a_patch_have_no_owner,
    an_unknown_field_of_a_patch_is_pruned_at_the_end,
    a_patch_of_the_name_creates_another_object,
    a_patch_that_cannot_be_applied_is_an_internal_error,
    an_invalid_patched_object_is_refused,
    a_change_of_the_kind_or_the_namespace_is_refused,
    a_dry_run_is_reviewed_as_one,
    an_update_without_changes_is_reviewed,
    a_stale_update_reaches_only_mutating_webhooks,
    an_apply_that_creates_is_a_create,
    a_status_write_is_reviewed_as_its_subresource,
    calls_of_a_webhook_share_a_connection,
];

async fn mutating_webhooks_are_called_by_the_name_of_their_configuration(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    hooks.configure(env, "Validating", "vv", vec![hooks.entry("v", json!({}))]).await?;
    hooks.configure(env, "Mutating", "zz", vec![hooks.entry("z", json!({}))]).await?;
    hooks.configure(env, "Mutating", "aa", vec![hooks.entry("a", json!({})), hooks.entry("b", json!({}))]).await?;
    for hook in ["v", "z", "b"] {
        hooks.ready(env, hook).await?;
    }
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    same("calls", named(&hooks.take()), ["a", "b", "z", "v"])
}

async fn a_mutating_webhook_sees_an_object_without_uid(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    let mut sent = widget("w", json!({"size": 1}));
    sent["status"] = json!({"phase": "ready"});
    env.post(&env.path("?fieldManager=me"), &sent).await?.is(201)?;
    let request = hooks.take().remove(0).1;
    let object = &request["object"];
    same("name", &object["metadata"]["name"], "w")?;
    same("uid", &object["metadata"]["uid"], &Value::Null)?;
    same("default", &object["spec"], &json!({"size": 1, "replicas": 1}))?;
    same("status", &object["status"], &json!({"phase": "ready"}))?;
    same("manager", &object["metadata"]["managedFields"][0]["manager"], "me")?;
    same("old", &request["oldObject"], &Value::Null)?;
    let options = json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"});
    same("options", &request["options"], &options)?;
    let kind = json!({"group": "conform.evenkeel.dev", "version": "v1", "kind": "Widget"});
    let resource = json!({"group": "conform.evenkeel.dev", "version": "v1", "resource": "widgets"});
    same("kinds", [&request["kind"], &request["requestKind"]], [&kind, &kind])?;
    same("resources", [&request["resource"], &request["requestResource"]], [&resource, &resource])?;
    let shown = ["name", "namespace", "operation"].map(|field| text(&request[field]));
    same("place", shown, ["w", &env.namespace, "CREATE"])
}

async fn a_validating_webhook_sees_the_object_as_it_will_be_stored(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let mut sent = widget("w", json!({"size": 1}));
    sent["status"] = json!({"phase": "ready"});
    let stored = env.post(&env.path(""), &sent).await?.is(201)?;
    let mut seen = hooks.only()?["object"].clone();
    seen["metadata"]["resourceVersion"] = json!(stored.version());
    same("created", &seen, &stored.body)?;
    let changed = env.merge(&env.path("/w"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    let request = hooks.only()?;
    same("old", without_owners(&request["oldObject"]), without_owners(&stored.body))?;
    same("generation", &request["object"]["metadata"]["generation"], 2)?;
    same("spec", &request["object"]["spec"], &changed.body["spec"])
}

async fn a_generated_name_is_seen_by_validating_webhooks_only(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", json!({}))]).await?;
    hooks.ready(env, "v").await?;
    let mut sent = widget("", json!({}));
    sent["metadata"] = json!({"generateName": "g-"});
    let stored = env.post(&env.path(""), &sent).await?.is(201)?;
    let calls = hooks.take();
    same("calls", named(&calls), ["m", "n", "v"])?;
    same("before", [&calls[0].1["name"], &calls[0].1["object"]["metadata"]["name"]], [&Value::Null; 2])?;
    let name = &stored.body["metadata"]["name"];
    same("after", [&calls[2].1["name"], &calls[2].1["object"]["metadata"]["name"]], [name, name])
}

async fn an_invalid_object_reaches_no_validating_webhook(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", json!({}))]).await?;
    hooks.ready(env, "v").await?;
    env.post(&env.path(""), &widget("w", json!({"size": 101}))).await?.refuses(422, "Invalid")?;
    same("calls", named(&hooks.take()), ["m", "n"])
}

async fn a_patch_is_seen_by_the_next_webhook(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "add", "path": "/spec/size", "value": 7}]));
    let stored = env.post(&env.path(""), &widget("w", json!({"size": 1}))).await?.is(201)?;
    let calls = hooks.take();
    same(
        "sizes",
        [&calls[0].1["object"]["spec"]["size"], &calls[1].1["object"]["spec"]["size"]],
        [&json!(1), &json!(7)],
    )?;
    same("stored", &stored.body["spec"]["size"], 7)?;
    let changed = env.merge(&env.path("/w"), &json!({"spec": {"size": 3}})).await?.is(200)?;
    same("changed", [&changed.body["spec"]["size"], &changed.body["metadata"]["generation"]], [&json!(7), &json!(1)])
}

async fn a_removed_default_is_back_before_the_next_webhook(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "remove", "path": "/spec/replicas"}]));
    env.post(&env.path(""), &widget("w", json!({"replicas": 5}))).await?.is(201)?;
    let calls = hooks.take();
    let seen = calls.iter().map(|(_, request)| request["object"]["spec"]["replicas"].clone());
    same("replicas", seen.collect::<Vec<_>>(), [json!(5), json!(1)])
}

async fn fields_of_a_patch_have_no_owner(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "add", "path": "/spec/size", "value": 7}]));
    let created = env.post(&env.path("?fieldManager=me"), &widget("w", json!({"color": "red"}))).await?.is(201)?;
    let owned = json!({".": {}, "f:color": {}, "f:replicas": {}});
    same("created", &created.owned("me")["f:spec"], &owned)?;
    hooks.patch("m", &json!([{"op": "add", "path": "/spec/size", "value": 8}]));
    let path = env.path("/w?fieldManager=me");
    let changed = env.merge(&path, &json!({"spec": {"color": "blue"}})).await?.is(200)?;
    same("spec", &changed.body["spec"]["size"], 8)?;
    same("changed", &changed.owned("me")["f:spec"], &owned)
}

async fn an_unknown_field_of_a_patch_is_pruned_at_the_end(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "add", "path": "/spec/bogus", "value": 7}, {"op": "add", "path": "/metadata/bogus", "value": 7}]));
    let stored = env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    same("next", &hooks.take()[1].1["object"]["spec"]["bogus"], 7)?;
    same("stored", [&stored.body["spec"]["bogus"], &stored.body["metadata"]["bogus"]], [&Value::Null; 2])
}

async fn a_patch_of_the_name_creates_another_object(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "replace", "path": "/metadata/name", "value": "other"}]));
    let stored = env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    let seen = &hooks.take()[1].1;
    same("seen", [&seen["name"], &seen["object"]["metadata"]["name"]], ["w", "other"])?;
    same("stored", &stored.body["metadata"]["name"], "other")
}

async fn a_patch_that_cannot_be_applied_is_an_internal_error(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    for operation in [
        json!({"op": "add", "path": "/metadata/annotations/x", "value": "1"}),
        json!({"op": "test", "path": "/spec/size", "value": 3}),
    ] {
        hooks.patch("m", &json!([operation]));
        let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(500, "InternalError")?;
        let message = text(&answer.body["message"]);
        holds(message, message.starts_with("Internal error occurred: ") && !message.contains("failed calling"))?;
    }
    Ok(())
}

async fn an_invalid_patched_object_is_refused(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    for value in [json!(101), json!("large")] {
        hooks.patch("m", &json!([{"op": "add", "path": "/spec/size", "value": value}]));
        let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(422, "Invalid")?;
        same("fields", answer.fields(), ["spec.size"])?;
    }
    Ok(())
}

async fn a_change_of_the_kind_or_the_namespace_is_refused(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.patch("m", &json!([{"op": "replace", "path": "/kind", "value": "Gadget"}]));
    env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(422, "Invalid")?;
    let mut sent = widget("w", json!({}));
    sent["metadata"]["namespace"] = json!(env.namespace);
    hooks.patch("m", &json!([{"op": "replace", "path": "/metadata/namespace", "value": "default"}]));
    env.post(&env.path(""), &sent).await?.refuses(400, "BadRequest")?;
    Ok(())
}

async fn a_dry_run_is_reviewed_as_one(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    env.post(&env.path("?dryRun=All"), &widget("w", json!({}))).await?.is(201)?;
    let request = hooks.only()?;
    same("dry run", &request["dryRun"], true)?;
    same("options", &request["options"]["dryRun"], &json!(["All"]))?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    same("dry run", &hooks.only()?["dryRun"], false)
}

async fn an_update_without_changes_is_reviewed(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let stored = env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.take();
    let same_version = env.put(&env.path("/w"), &stored.body).await?.is(200)?.version();
    same("version", same_version, stored.version())?;
    same("operation", &hooks.only()?["operation"], "UPDATE")
}

async fn a_stale_update_reaches_only_mutating_webhooks(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", json!({}))]).await?;
    hooks.ready(env, "v").await?;
    let stored = env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    env.merge(&env.path("/w"), &json!({"spec": {"size": 2}})).await?.is(200)?;
    hooks.take();
    env.put(&env.path("/w"), &stored.body).await?.refuses(409, "Conflict")?;
    let calls = hooks.take();
    let names: Vec<&str> = calls.iter().map(|(name, _)| name.as_str()).collect();
    // An API server that has not seen the first change yet finds the conflict only when it stores the object.
    same("calls", &names[names.len().saturating_sub(2)..], ["m", "n"])?;
    holds("the attempt is not repeated", env.cluster.is_none() || names.len() == 2)
}

async fn an_apply_that_creates_is_a_create(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    env.apply("w", "fieldManager=me", json!({"spec": {"size": 1}})).await?.is(201)?;
    let request = hooks.only()?;
    same("operation", &request["operation"], "CREATE")?;
    let options = json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"});
    same("options", &request["options"], &options)?;
    env.apply("w", "fieldManager=me", json!({"spec": {"size": 2}})).await?.is(200)?;
    let request = hooks.only()?;
    same("operation", &request["operation"], "UPDATE")?;
    same("options", &request["options"]["kind"], "UpdateOptions")
}

async fn a_status_write_is_reviewed_as_its_subresource(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.take();
    hooks.patch("m", &json!([{"op": "add", "path": "/metadata/annotations", "value": {"x": "y"}}]));
    let written = env.merge(&env.path("/w/status"), &json!({"status": {"phase": "ready"}})).await?.is(200)?;
    let request = &hooks.take()[0].1;
    same("operation", [&request["operation"], &request["subResource"]], ["UPDATE", "status"])?;
    same("resource", &request["resource"]["resource"], "widgets")?;
    same("status", &request["object"]["status"], &json!({"phase": "ready"}))?;
    same("old status", &request["oldObject"]["status"], &Value::Null)?;
    same("annotations", &written.body["metadata"]["annotations"], &Value::Null)
}

async fn calls_of_a_webhook_share_a_connection(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    for name in ["a", "b", "c"] {
        env.post(&env.path(""), &widget(name, json!({}))).await?.is(201)?;
    }
    same("calls", named(&hooks.take()), ["v"])?;
    same("connections", hooks.connections(), 1)
}
