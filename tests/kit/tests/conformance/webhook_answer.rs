//! Admission webhooks: refusals, warnings, and failed calls.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};

use crate::check::{Verdict, holds, same};
use crate::env::{Env, text, with};
use crate::rule::rules;
use crate::webhook_server::{Reply, Webhook, validating, widget};

rules![
    a_webhook_is_called_again_after_a_later_change,
    a_refusal_has_the_status_of_the_webhook,
    a_refusal_without_a_code_is_a_bad_request,
    warnings_of_webhooks_reach_the_client,
    a_failed_call_fails_the_write,
    an_ignored_failure_does_not,
    a_late_answer_fails_the_write,
    a_write_ends_at_its_timeout_and_stores_nothing,
];

/// Replies that are failures of the call, with a part of the message.
fn failures() -> Vec<(Reply, &'static str)> {
    let allowed = |other: Value| {
        let mut verdict = json!({"allowed": true});
        verdict.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        Reply::Verdict(verdict)
    };
    vec![
        (
            Reply::Code(StatusCode::INTERNAL_SERVER_ERROR),
            "an error on the server (\"unknown\") has prevented the request",
        ),
        (Reply::Code(StatusCode::NOT_FOUND), "the server could not find the requested resource"),
        (Reply::Status(StatusCode::SERVICE_UNAVAILABLE, "come back later"), ": come back later"),
        (Reply::Status(StatusCode::PAYLOAD_TOO_LARGE, "too large for me"), ": too large for me"),
        (Reply::Raw(r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#), "webhook response was absent"),
        (Reply::Raw("hello"), "json parse error"),
        (allowed(json!({"uid": "other"})), "got \"other\""),
        (
            allowed(json!({"patch": "W10=", "patchType": "JSONPatch"})),
            "validating webhook may not return response.patch",
        ),
    ]
}

async fn a_webhook_is_called_again_after_a_later_change(env: &Env) -> Verdict {
    let hooks = Webhook::start().await?;
    let again = json!({"reinvocationPolicy": "IfNeeded"});
    let entries = vec![hooks.entry("m", again.clone()), hooks.entry("n", again), hooks.entry("o", json!({}))];
    hooks.configure(env, "Mutating", "m", entries).await?;
    hooks.ready(env, "o").await?;
    let quiet = Reply::Verdict(json!({"allowed": true}));
    for (hook, calls) in [("m", "mno"), ("n", "mnom"), ("o", "mnomn")] {
        hooks.patch(hook, &json!([{"op": "add", "path": "/spec/size", "value": 7}]));
        env.post(&env.path("?dryRun=All"), &widget("w", json!({}))).await?.is(201)?;
        same(hook, hooks.take().iter().map(|(name, _)| name.as_str()).collect::<String>(), calls)?;
        hooks.reply(hook, quiet.clone());
    }
    Ok(())
}

async fn a_refusal_has_the_status_of_the_webhook(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let causes = json!([{"reason": "FieldValueInvalid", "message": "too small", "field": "spec.size"}]);
    let details = json!({"name": "w", "kind": "Widget", "causes": causes});
    let status = json!({"code": 422, "reason": "Invalid", "message": "no way", "details": details});
    hooks.reply("v", Reply::Verdict(json!({"allowed": false, "status": status})));
    let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(422, "Invalid")?;
    let message = "admission webhook \"v.conform.evenkeel.dev\" denied the request: no way";
    same("message", text(&answer.body["message"]), message)?;
    same("details", &answer.body["details"], &details)
}

async fn a_refusal_without_a_code_is_a_bad_request(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    let denied = "admission webhook \"v.conform.evenkeel.dev\" denied the request";
    for (status, end) in [
        (Value::Null, " without explanation"),
        (json!({"reason": "Forbidden"}), ": Forbidden"),
        (json!({"message": "no", "code": 200}), ": no"),
    ] {
        hooks.reply("v", Reply::Verdict(json!({"allowed": false, "status": status})));
        let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.is(400)?;
        same("message", text(&answer.body["message"]), format!("{denied}{end}"))?;
    }
    Ok(())
}

async fn warnings_of_webhooks_reach_the_client(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    for (allowed, code) in [(true, 201), (false, 400)] {
        hooks.reply("v", Reply::Verdict(json!({"allowed": allowed, "warnings": ["be careful", ""]})));
        let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.is(code)?;
        let warnings: Vec<_> =
            answer.headers.get_all("warning").iter().filter_map(|value| value.to_str().ok()).collect();
        same("warnings", warnings, ["299 - \"be careful\""])?;
    }
    Ok(())
}

async fn a_failed_call_fails_the_write(env: &Env) -> Verdict {
    let hooks = validating(env, json!({})).await?;
    for (reply, part) in failures() {
        hooks.reply("v", reply);
        let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(500, "InternalError")?;
        let message = text(&answer.body["message"]);
        let head = "Internal error occurred: failed calling webhook \"v.conform.evenkeel.dev\": ";
        holds(message, message.starts_with(head) && message.contains(part))?;
    }
    Ok(())
}

async fn an_ignored_failure_does_not(env: &Env) -> Verdict {
    let hooks = validating(env, json!({"failurePolicy": "Ignore"})).await?;
    for (reply, _) in failures() {
        hooks.reply("v", reply);
        env.post(&env.path("?dryRun=All"), &widget("w", json!({}))).await?.is(201)?;
    }
    hooks.reply("v", Reply::Verdict(json!({"allowed": false})));
    env.post(&env.path(""), &widget("w", json!({}))).await?.is(400)?;
    Ok(())
}

async fn a_late_answer_fails_the_write(env: &Env) -> Verdict {
    let hooks = validating(env, json!({"timeoutSeconds": 1})).await?;
    hooks.reply("v", Reply::Late(Duration::from_secs(60)));
    let answer = env.post(&env.path(""), &widget("w", json!({}))).await?.refuses(500, "InternalError")?;
    let message = text(&answer.body["message"]);
    holds(message, message.contains("?timeout=1s\": context deadline exceeded"))
}

async fn a_write_ends_at_its_timeout_and_stores_nothing(env: &Env) -> Verdict {
    let hooks = validating(env, json!({"timeoutSeconds": 30})).await?;
    env.post(&env.path(""), &widget("old", json!({"size": 1}))).await?.is(201)?;
    let old = env.get(&env.path("/old")).await?.is(200)?;
    hooks.reply("v", Reply::Late(Duration::from_secs(20)));
    let apply = "application/apply-patch+yaml";
    let (new, changed) =
        (widget("new", json!({})).to_string(), with(&old.body, json!({"spec": {"size": 2}})).to_string());
    for (method, path, media, body) in [
        ("POST", "?timeout=1500ms", "application/json", &*new),
        ("PATCH", "/new?fieldManager=m&timeout=1500ms", apply, &*new),
        ("PUT", "/old?timeout=1500ms", "application/json", &*changed),
        ("DELETE", "/old?timeout=1500ms", "application/json", r#"{"apiVersion":"v1","kind":"DeleteOptions"}"#),
    ] {
        let answer = match env.send(method, &env.path(path), media, body).await {
            // 1.36 may end the connection at that time, without an answer.
            Err(_) if env.cluster.is_none() => continue,
            answer => answer?,
        };
        // 1.20 reports the end of its own call to the webhook.
        holds(&format!("{method}: {}", answer.body), [500, 504].contains(&answer.status))?;
    }
    env.get(&env.path("/new")).await?.is(404)?;
    same("version", env.get(&env.path("/old")).await?.is(200)?.version(), old.version())
}
