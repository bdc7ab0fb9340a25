//! Admission webhooks: which writes they review, and the checks of their configurations.

use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::env::{Env, text};
use crate::rule::rules;
use crate::webhook_server::{Reply, Webhook, mutating, named, path, validating, widget, without_owners};

rules![
    a_scale_write_is_reviewed_as_a_scale,
    a_deletion_is_reviewed_with_the_old_object,
    a_deletion_cannot_be_patched,
    a_collection_is_reviewed_by_object_without_a_name,
    a_refused_deletion_keeps_the_object,
    removing_the_last_finalizer_is_reviewed_as_an_update,
    the_resources_of_a_rule_separate_subresources,
    an_object_selector_selects_the_old_or_the_new_object,
    a_namespace_is_selected_by_its_own_labels,
    configurations_are_never_reviewed,
    a_match_condition_decides_about_the_call,
    a_failed_match_condition_refuses_the_write,
    wrong_configurations_are_refused,
];

async fn a_scale_write_is_reviewed_as_a_scale(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.take();
    hooks.patch("m", &json!([{"op": "replace", "path": "/spec/replicas", "value": 6}]));
    let path = env.path("/w/scale");
    let written = env.merge(&path, &json!({"spec": {"replicas": 2}})).await?.is(200)?;
    let request = &hooks.take()[0].1;
    let kind = json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
    same("kind", &request["kind"], &kind)?;
    same("resource", [&request["resource"]["resource"], &request["subResource"]], ["widgets", "scale"])?;
    let replicas = |object: &str| request[object]["spec"]["replicas"].clone();
    same("replicas", [replicas("oldObject"), replicas("object")], [json!(1), json!(2)])?;
    same("written", &written.body["spec"]["replicas"], 6)
}

async fn a_deletion_is_reviewed_with_the_old_object(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let mut sent = widget("w", json!({}));
    sent["metadata"]["finalizers"] = json!(["conform.evenkeel.dev/f"]);
    let stored = env.post(&env.path(""), &sent).await?.is(201)?;
    hooks.take();
    env.send("DELETE", &env.path("/w?gracePeriodSeconds=3"), "", "").await?.is(200)?;
    let request = hooks.only()?;
    same("operation", [&request["operation"], &request["name"]], ["DELETE", "w"])?;
    same("new", &request["object"], &Value::Null)?;
    same("old", without_owners(&request["oldObject"]), without_owners(&stored.body))?;
    let options = json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "gracePeriodSeconds": 3});
    same("options", &request["options"], &options)?;
    env.send("DELETE", &env.path("/w"), "", "").await?.is(200)?;
    holds("the second one is reviewed", hooks.only()?["oldObject"]["metadata"]["deletionTimestamp"].is_string())
}

async fn a_deletion_cannot_be_patched(env: &Env) -> Verdict {
    let hooks = mutating(env).await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.patch("m", &json!([{"op": "add", "path": "/spec/size", "value": 7}]));
    let answer = env.send("DELETE", &env.path("/w"), "", "").await?.refuses(500, "InternalError")?;
    let message = "Internal error occurred: admission webhook \"m.conform.evenkeel.dev\" attempted to modify the object, which is \
                   not supported for this operation";
    same("message", text(&answer.body["message"]), message)
}

async fn a_collection_is_reviewed_by_object_without_a_name(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    for name in ["a", "b"] {
        env.post(&env.path(""), &widget(name, json!({}))).await?.is(201)?;
    }
    hooks.take();
    env.send("DELETE", &env.path(""), "", "").await?.is(200)?;
    let calls = hooks.take();
    let mut seen: Vec<_> = calls.iter().map(|(_, request)| text(&request["oldObject"]["metadata"]["name"])).collect();
    seen.sort_unstable();
    same("objects", seen, ["a", "b"])?;
    same("names", calls.iter().map(|(_, request)| &request["name"]).collect::<Vec<_>>(), [&Value::Null; 2])
}

async fn a_refused_deletion_keeps_the_object(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let stored = env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.reply("v", Reply::Verdict(json!({"allowed": false, "status": {"code": 403, "message": "not yet"}})));
    env.send("DELETE", &env.path("/w"), "", "").await?.is(403)?;
    let kept = env.get(&env.path("/w")).await?.is(200)?;
    same("object", kept.body, stored.body)
}

async fn removing_the_last_finalizer_is_reviewed_as_an_update(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let mut sent = widget("w", json!({}));
    sent["metadata"]["finalizers"] = json!(["conform.evenkeel.dev/f"]);
    env.post(&env.path(""), &sent).await?.is(201)?;
    env.send("DELETE", &env.path("/w"), "", "").await?.is(200)?;
    hooks.take();
    env.merge(&env.path("/w"), &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    let calls = hooks.take();
    same("calls", named(&calls), ["v"])?;
    same("operation", &calls[0].1["operation"], "UPDATE")?;
    env.get(&env.path("/w")).await?.refuses(404, "NotFound").map(|_| ())
}

async fn the_resources_of_a_rule_separate_subresources(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let rules = |resource: &str| {
        json!({"rules": [{"apiGroups": ["conform.evenkeel.dev"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
            "resources": [resource]}]})
    };
    let all =
        [("main", "widgets"), ("star", "*"), ("status", "widgets/status"), ("any", "*/status"), ("each", "widgets/*")];
    let mut entries: Vec<Value> = all.iter().map(|(name, resource)| hooks.entry(name, rules(resource))).collect();
    entries.push(hooks.entry(
        "cluster",
        json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
        "resources": ["*/*"], "scope": "Cluster"}], "objectSelector": {"matchLabels": {"rule": env.namespace}}}),
    ));
    hooks.configure(env, "Mutating", "m", entries).await?;
    hooks.ready(env, "each").await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    same("object", named(&hooks.take()), ["main", "star", "each"])?;
    env.merge(&env.path("/w/status"), &json!({"status": {"phase": "ready"}})).await?.is(200)?;
    same("status", named(&hooks.take()), ["status", "any", "each"])?;
    env.merge(&env.path("/w/scale"), &json!({"spec": {"replicas": 2}})).await?.is(200)?;
    same("scale", named(&hooks.take()), ["each"])?;
    env.send("DELETE", &env.path("/w"), "", "").await?.is(200)?;
    same("deletion", named(&hooks.take()), Vec::<&str>::new())
}

async fn an_object_selector_selects_the_old_or_the_new_object(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let selector = json!({"objectSelector": {"matchLabels": {"checked": "yes"}}});
    hooks.configure(env, "Mutating", "m", vec![hooks.entry("s", selector), hooks.entry("all", json!({}))]).await?;
    hooks.ready(env, "all").await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    same("without", named(&hooks.take()), ["all"])?;
    for (label, is_called) in [(json!("yes"), true), (Value::Null, true), (json!("no"), false)] {
        env.merge(&env.path("/w"), &json!({"metadata": {"labels": {"checked": label}}})).await?.is(200)?;
        let names: Vec<String> = hooks.take().into_iter().map(|(name, _)| name).collect();
        same(&label.to_string(), names.ends_with(&["s".to_owned(), "all".to_owned()]), is_called)?;
    }
    Ok(())
}

async fn a_namespace_is_selected_by_its_own_labels(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let own = json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["namespaces"]}]});
    hooks.configure(env, "Validating", "v", vec![hooks.entry("ns", own), hooks.entry("w", json!({}))]).await?;
    hooks.ready(env, "w").await?;
    let path = format!("/api/v1/namespaces/{}", env.namespace);
    for (labels, called) in
        [(json!({"rule": env.namespace, "x": "1"}), 1), (json!({"rule": null}), 0), (json!({"rule": env.namespace}), 1)]
    {
        env.merge(&path, &json!({"metadata": {"labels": labels}})).await?.is(200)?;
        let calls = hooks.take();
        same(&labels.to_string(), named(&calls).len(), called)?;
        holds("the namespace is its own", calls.iter().all(|(_, request)| request["namespace"] == *env.namespace))?;
    }
    Ok(())
}

async fn configurations_are_never_reviewed(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let all = json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"], "scope": "*"}],
        "objectSelector": {"matchLabels": {"rule": env.namespace}}});
    hooks.configure(env, "Validating", "v", vec![hooks.entry("v", all), hooks.entry("w", json!({}))]).await?;
    hooks.ready(env, "w").await?;
    let name = format!("other.{}", env.namespace);
    let other = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": name, "labels": {"rule": env.namespace}}, "webhooks": []});
    env.post(&path("Mutating"), &other).await?.is(201)?;
    same("calls", named(&hooks.take()), Vec::<&str>::new())
}

async fn a_match_condition_decides_about_the_call(env: &Env) -> Verdict {
    let condition = json!({"matchConditions": [{"name": "small", "expression": "object.spec.replicas < 5 && request.operation == 'CREATE'"}]});
    let hooks = validating(env, condition).await?;
    for (replicas, called) in [(4, 1), (5, 0)] {
        env.post(&env.path("?dryRun=All"), &widget("w", json!({"replicas": replicas}))).await?.is(201)?;
        same(&format!("{replicas} replicas"), hooks.take().len(), called)?;
    }
    Ok(())
}

async fn a_failed_match_condition_refuses_the_write(env: &Env) -> Verdict {
    let condition = |expression: &str| json!({"name": expression.len().to_string(), "expression": expression});
    let other = json!({"matchConditions": [condition("object.spec.replicas < 5")]});
    let hooks = validating(env, other).await?;
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(201)?;
    hooks.take();
    let answer = env.send("DELETE", &env.path("/w"), "", "").await?.refuses(403, "Forbidden")?;
    let message = "widgets.conform.evenkeel.dev \"w\" is forbidden: expression 'object.spec.replicas < 5' resulted in error: no such key: spec";
    same("message", text(&answer.body["message"]), message)?;
    same("calls", hooks.take().len(), 0)
}

async fn wrong_configurations_are_refused(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let rule = |field: &str, value: Value| {
        let mut rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]});
        rule[field] = value;
        json!({"rules": [rule]})
    };
    let client = |client: Value| json!({"clientConfig": client});
    let cases = [
        (json!({"name": "v"}), "name"),
        (json!({"sideEffects": null}), "sideEffects"),
        (json!({"sideEffects": "Some"}), "sideEffects"),
        (json!({"admissionReviewVersions": ["v7"]}), "admissionReviewVersions"),
        (json!({"timeoutSeconds": 31}), "timeoutSeconds"),
        (json!({"failurePolicy": "Maybe"}), "failurePolicy"),
        (json!({"matchPolicy": "Maybe"}), "matchPolicy"),
        (rule("operations", json!(["CREATED"])), "rules[0].operations[0]"),
        (rule("operations", json!(["*", "CREATE"])), "rules[0].operations"),
        (rule("apiGroups", json!([])), "rules[0].apiGroups"),
        (rule("resources", json!(["*", "pods"])), "rules[0].resources"),
        (rule("scope", json!("Galaxy")), "rules[0].scope"),
        (client(json!({})), "clientConfig"),
        (client(json!({"url": "http://x/y"})), "clientConfig.url"),
        (client(json!({"url": "https://x/y?z=1"})), "clientConfig.url"),
        (client(json!({"url": "https://u@x/y"})), "clientConfig.url"),
        (client(json!({"service": {"name": "", "namespace": ""}})), "clientConfig.service.name"),
        (client(json!({"service": {"name": "a", "namespace": "b", "path": "x"}})), "clientConfig.service.path"),
        (client(json!({"service": {"name": "a", "namespace": "b", "port": 0}})), "clientConfig.service.port"),
    ];
    for (other, field) in cases {
        let refused = hooks.configure(env, "Validating", "v", vec![hooks.entry("v", other.clone())]).await;
        let error = refused.err().map(|error| error.to_string()).unwrap_or_default();
        holds(&format!("{other}: {error}"), error.contains(&format!("\"field\":\"webhooks[0].{field}\"")))?;
    }
    Ok(())
}
