//! Webhook configurations, API services and runtime classes.

use serde_json::{Value, json};

use crate::check::{Verdict, same};
use crate::env::{Env, text};
use crate::rule::rules;

rules![
    a_webhook_configuration_gets_its_defaults,
    webhooks_have_separate_owners,
    a_webhook_configuration_is_not_replaced_without_a_version,
    a_runtime_class_is_stored_without_a_generation;
    embedded an_api_service_is_available_once_its_status_says_it,
];

const GROUP: &str = "admissionregistration.k8s.io";
const KINDS: [(&str, &str); 2] = [
    ("mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
    ("validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
];

/// A webhook that no request matches.
fn webhook(name: &str) -> Value {
    let rule =
        json!({"apiGroups": ["nowhere.dev"], "apiVersions": ["v1"], "resources": ["x"], "operations": ["CREATE"]});
    json!({"name": name, "clientConfig": {"url": "https://127.0.0.1:1/"}, "rules": [rule], "sideEffects": "None",
        "admissionReviewVersions": ["v1"]})
}

fn configuration(env: &Env, kind: &str, webhooks: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": env.namespace}, "webhooks": webhooks})
}

fn path(plural: &str) -> String {
    format!("/apis/{GROUP}/v1/{plural}")
}

async fn delete(env: &Env, path: &str, name: &str) -> Verdict {
    env.send("DELETE", &format!("{path}/{name}"), "", "").await?.is(200).map(drop)
}

async fn a_webhook_configuration_gets_its_defaults(env: &Env) -> Verdict {
    for (plural, kind) in KINDS {
        let made = env.post(&path(plural), &configuration(env, kind, &json!([webhook("a.ex.dev")]))).await?.is(201)?;
        delete(env, &path(plural), &env.namespace).await?;
        let mut expected = webhook("a.ex.dev");
        let defaults = json!({"failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {},
            "objectSelector": {}, "timeoutSeconds": 10});
        for (field, value) in defaults.as_object().into_iter().flatten() {
            expected[field] = value.clone();
        }
        if kind == "MutatingWebhookConfiguration" {
            expected["reinvocationPolicy"] = json!("Never");
        }
        expected["rules"][0]["scope"] = json!("*");
        same("webhook", &made.body["webhooks"][0], &expected)?;
        same("generation", &made.body["metadata"]["generation"], &json!(1))?;
    }
    Ok(())
}

async fn webhooks_have_separate_owners(env: &Env) -> Verdict {
    for (plural, kind) in KINDS {
        let object = format!("{}/{}", path(plural), env.namespace);
        let applied = async |manager: &str, name: &str| {
            let body = configuration(env, kind, &json!([webhook(name)])).to_string();
            env.send("PATCH", &format!("{object}?fieldManager={manager}"), "application/apply-patch+yaml", &body).await
        };
        applied("m1", "a.ex.dev").await?.is(201)?;
        let both = applied("m2", "b.ex.dev").await?.is(200)?;
        delete(env, &path(plural), &env.namespace).await?;
        let names: Vec<&str> =
            both.body["webhooks"].as_array().into_iter().flatten().map(|one| text(&one["name"])).collect();
        same("webhooks", names, vec!["a.ex.dev", "b.ex.dev"])?;
        same("generation", &both.body["metadata"]["generation"], &json!(2))?;
    }
    Ok(())
}

async fn a_webhook_configuration_is_not_replaced_without_a_version(env: &Env) -> Verdict {
    for (plural, kind) in KINDS {
        let object = configuration(env, kind, &json!([webhook("a.ex.dev")]));
        env.post(&path(plural), &object).await?.is(201)?;
        let answer = env.put(&format!("{}/{}", path(plural), env.namespace), &object).await?;
        delete(env, &path(plural), &env.namespace).await?;
        answer.refuses(422, "Invalid")?;
    }
    Ok(())
}

async fn a_runtime_class_is_stored_without_a_generation(env: &Env) -> Verdict {
    let classes = "/apis/node.k8s.io/v1/runtimeclasses";
    let class = json!({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": env.namespace},
        "handler": "h"});
    let object = format!("{classes}/{}", env.namespace);
    let made = env.put(&object, &class).await?.is(201)?;
    let answer = env.put(&object, &class).await?;
    delete(env, classes, &env.namespace).await?;
    same("handler", &made.body["handler"], &json!("h"))?;
    same("generation", &made.body["metadata"]["generation"], &Value::Null)?;
    answer.refuses(422, "Invalid").map(drop)
}

/// On a real server, an API service without its server would disturb the discovery of all other rules.
async fn an_api_service_is_available_once_its_status_says_it(env: &Env) -> Verdict {
    let services = "/apis/apiregistration.k8s.io/v1/apiservices";
    let service = |name: &str| {
        json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name},
            "spec": {"group": "ex.dev", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 100,
                "service": {"namespace": "default", "name": "s"}}})
    };
    let refused = env.post(services, &service("other")).await?.refuses(422, "Invalid")?;
    let why = "APIService.apiregistration.k8s.io \"other\" is invalid: metadata.name: Invalid value: \"other\": \
               must be `spec.version+\".\"+spec.group`: \"v1.ex.dev\"";
    same("message", text(&refused.body["message"]), why)?;
    let mut made = env.post(services, &service("v1.ex.dev")).await?.is(201)?.body;
    same("port", &made["spec"]["service"]["port"], &json!(443))?;
    same("status", &made["status"], &json!({}))?;
    same("generation", &made["metadata"]["generation"], &Value::Null)?;
    made["status"] = json!({"conditions": [{"type": "Available", "status": "True"}]});
    let object = format!("{services}/v1.ex.dev");
    let available = env.put(&format!("{object}/status"), &made).await?.is(200)?;
    same("condition", &available.body["status"]["conditions"][0]["status"], &json!("True"))?;
    delete(env, services, "v1.ex.dev").await
}
