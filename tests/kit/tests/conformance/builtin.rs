//! Field ownership in built-in kinds, by the list types that API servers publish.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, holds, same};
use crate::env::{Answer, Env, text};
use crate::rule::rules;
use crate::status::deployment;

rules![
    an_undeclared_field_of_a_built_in_kind_can_not_be_applied,
    volumes_have_separate_owners_and_tolerations_one,
    a_port_in_two_protocols_is_two_ports,
    an_always_present_spec_has_no_owner,
    a_missing_spec_counts_as_empty,
];

async fn apply(env: &Env, path: &str, manager: &str, body: &Value) -> Result<Answer, Broken> {
    let path = format!("{path}?fieldManager={manager}");
    env.send("PATCH", &path, "application/apply-patch+yaml", &body.to_string()).await
}

async fn an_undeclared_field_of_a_built_in_kind_can_not_be_applied(env: &Env) -> Verdict {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "bogus": 1});
    let answer = apply(env, &env.core("configmaps/a"), "m1", &map).await?.is(500)?;
    let message = text(&answer.body["message"]);
    holds("it names the field", message.ends_with(".bogus: field not declared in schema"))
}

async fn volumes_have_separate_owners_and_tolerations_one(env: &Env) -> Verdict {
    let path = format!("/apis/apps/v1/namespaces/{}/deployments/d", env.namespace);
    let with = |pod: Value| {
        let mut body = deployment();
        body["spec"] = json!({"template": {"spec": pod}});
        body
    };
    apply(env, &path, "m1", &deployment()).await?.is(201)?;
    let volume = |name: &str| json!({"name": name, "emptyDir": {}});
    let toleration = |key: &str| json!({"key": key, "operator": "Exists"});
    let first = with(json!({"volumes": [volume("a")], "tolerations": [toleration("a")]}));
    apply(env, &path, "m2", &first).await?.is(200)?;
    let both = apply(env, &path, "m3", &with(json!({"volumes": [volume("b")]}))).await?.is(200)?;
    let volumes = both.body.pointer("/spec/template/spec/volumes").and_then(Value::as_array).cloned();
    let names: Vec<String> = volumes.unwrap_or_default().iter().map(|one| text(&one["name"]).to_owned()).collect();
    same("volumes", names, ["a", "b"].map(str::to_owned).to_vec())?;
    let other = apply(env, &path, "m3", &with(json!({"tolerations": [toleration("b")]}))).await?;
    same("conflicts", other.refuses(409, "Conflict")?.fields(), vec![".spec.template.spec.tolerations"])
}

async fn a_port_in_two_protocols_is_two_ports(env: &Env) -> Verdict {
    let service = |protocol: &str| {
        let port = json!({"name": protocol.to_lowercase(), "port": 53, "protocol": protocol});
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [port]}})
    };
    apply(env, &env.core("services/s"), "m1", &service("TCP")).await?.is(201)?;
    let both = apply(env, &env.core("services/s"), "m2", &service("UDP")).await?.is(200)?;
    let ports = both.body["spec"]["ports"].as_array().cloned().unwrap_or_default();
    let protocols: Vec<&str> = ports.iter().map(|port| text(&port["protocol"])).collect();
    same("ports", protocols, vec!["TCP", "UDP"])
}

async fn an_always_present_spec_has_no_owner(env: &Env) -> Verdict {
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"holderIdentity": "a"}});
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases?fieldManager=m1", env.namespace);
    let made = env.post(&path, &lease).await?.is(201)?;
    same("owned", made.owned("m1"), json!({"f:spec": {"f:holderIdentity": {}}}))
}

async fn a_missing_spec_counts_as_empty(env: &Env) -> Verdict {
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "bare"}});
    let answer = env.post(&env.core("services"), &service).await?;
    same("what is wrong", answer.refuses(422, "Invalid")?.fields(), vec!["spec.ports"])
}
