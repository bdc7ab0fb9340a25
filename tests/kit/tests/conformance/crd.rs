//! CRDs and the effect of their schemas.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{Patch, PatchParams};
use kube::discovery::Discovery;
use kube::runtime::conditions::is_crd_established;
use kube::runtime::wait::await_condition;
use serde_json::{Value, json};

use crate::check::{Verdict, eventually, fields, holds, refused, same};
use crate::env::{CRDS, Env, GROUP, text};
use crate::rule::rules;

rules![
    an_established_crd_is_served,
    a_new_crd_gets_its_conditions,
    a_crd_may_be_applied,
    a_crd_without_a_schema_is_refused,
    a_crd_with_a_mismatched_name_is_refused,
    deleting_a_crd_removes_its_objects_and_routes,
    unknown_fields_are_pruned,
    preserved_fields_are_kept,
    defaults_are_filled_in,
    null_in_a_non_nullable_field_is_dropped,
    values_outside_the_schema_are_refused,
    a_missing_required_field_is_refused,
    duplicates_in_sets_and_keyed_lists_are_refused,
    a_status_outside_the_schema_is_refused,
    unknown_fields_warn_or_fail_when_strict,
    an_unserved_path_is_plain_not_found,
    an_unknown_resource_of_a_served_group_is_not_found,
    discovery_finds_the_kind,
    a_cluster_scoped_kind_has_no_namespace,
];

fn small(env: &Env) -> Value {
    let schema =
        json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    Env::definition(&env.group(), "Small", &schema, &json!({"status": {}}))
}

pub(crate) fn condition<'a>(crd: &'a Value, kind: &str) -> &'a Value {
    let conditions = crd["status"]["conditions"].as_array();
    let found = conditions.into_iter().flatten().find(|condition| condition["type"] == kind);
    found.map_or(&Value::Null, |condition| &condition["status"])
}

async fn an_established_crd_is_served(env: &Env) -> Verdict {
    let crds: Api<CustomResourceDefinition> = Api::all(env.client.clone());
    let crd = small(env);
    let name = text(&crd["metadata"]["name"]).to_owned();
    env.post(CRDS, &crd).await?.is(201)?;
    await_condition(crds, &name, is_crd_established()).await?;
    let path = format!("/apis/{}/v1/namespaces/{}/smalls", env.group(), env.namespace);
    let served = || async { Ok((env.get(&path).await?.status == 200).then_some(())) };
    eventually("the kind is served", served).await?;
    let body = json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Small", "metadata": {"name": "a"}, "spec": {"a": "x"}});
    env.post(&path, &body).await?.is(201).map(|_| ())
}

async fn a_new_crd_gets_its_conditions(env: &Env) -> Verdict {
    let crd = small(env);
    env.define(&crd).await?;
    let path = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
    let established = || async {
        let stored = env.get(&path).await?.is(200)?.body;
        Ok((condition(&stored, "Established") == "True").then_some(stored))
    };
    let stored = eventually("it is established", established).await?;
    same("NamesAccepted", condition(&stored, "NamesAccepted"), "True")?;
    same("kind", &stored["status"]["acceptedNames"]["kind"], "Small")?;
    same("stored versions", &stored["status"]["storedVersions"], &json!(["v1"]))?;
    same("conversion", &stored["spec"]["conversion"]["strategy"], "None")
}

async fn a_crd_may_be_applied(env: &Env) -> Verdict {
    let crds: Api<CustomResourceDefinition> = Api::all(env.client.clone());
    let crd = small(env);
    let name = text(&crd["metadata"]["name"]).to_owned();
    let made = crds.patch(&name, &PatchParams::apply("m1"), &Patch::Apply(&crd)).await?;
    await_condition(crds.clone(), &name, is_crd_established()).await?;
    crds.patch(&name, &PatchParams::apply("m1"), &Patch::Apply(&crd)).await?;
    same("uid", crds.get(&name).await?.metadata.uid, made.metadata.uid)
}

async fn a_crd_without_a_schema_is_refused(env: &Env) -> Verdict {
    let mut crd = small(env);
    if let Some(version) = crd["spec"]["versions"][0].as_object_mut() {
        version.remove("schema");
    }
    let answer = env.post(CRDS, &crd).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["spec.versions[0].schema.openAPIV3Schema"])
}

async fn a_crd_with_a_mismatched_name_is_refused(env: &Env) -> Verdict {
    let mut crd = small(env);
    crd["metadata"]["name"] = json!("others.example.dev");
    let answer = env.post(CRDS, &crd).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.name"])
}

async fn deleting_a_crd_removes_its_objects_and_routes(env: &Env) -> Verdict {
    let crd = small(env);
    env.define(&crd).await?;
    let path = format!("/apis/{}/v1/namespaces/{}/smalls", env.group(), env.namespace);
    let body = json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Small", "metadata": {"name": "a"}});
    env.post(&path, &body).await?.is(201)?;
    let definition = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
    env.send("DELETE", &definition, "", "").await?.is(200)?;
    let gone = || async {
        let (definition, objects) = (env.get(&definition).await?, env.get(&path).await?);
        let group = env.get(&format!("/apis/{}", env.group())).await?;
        Ok((definition.status == 404 && objects.status == 404 && group.status == 404).then_some(()))
    };
    eventually("definition, routes and group are gone", gone).await?;
    env.define(&crd).await?;
    let list = env.get(&path).await?.is(200)?;
    same("objects", &list.body["items"], &json!([]))
}

async fn unknown_fields_are_pruned(env: &Env) -> Verdict {
    let made = env.widget("a", json!({"size": 1, "bogus": 1, "nested": {"a": "1", "bogus": 2}})).await?;
    same("spec", &made.data["spec"], &json!({"size": 1, "replicas": 1, "nested": {"a": "1"}}))
}

async fn preserved_fields_are_kept(env: &Env) -> Verdict {
    let any = json!({"free": {"u": [1, {"v": null}]}});
    let made = env.widget("a", json!({"any": any})).await?;
    same("any", &made.data["spec"]["any"], &any)
}

async fn defaults_are_filled_in(env: &Env) -> Verdict {
    let made = env.widget("a", json!({"ports": [{"port": 80}]})).await?;
    same("replicas", &made.data["spec"]["replicas"], 1)?;
    same("ports", &made.data["spec"]["ports"], &json!([{"port": 80, "protocol": "TCP"}]))
}

async fn null_in_a_non_nullable_field_is_dropped(env: &Env) -> Verdict {
    let made = env.widget("a", json!({"size": null, "note": null, "replicas": null})).await?;
    same("spec", &made.data["spec"], &json!({"note": null, "replicas": 1}))
}

async fn values_outside_the_schema_are_refused(env: &Env) -> Verdict {
    let cases = [
        (json!({"size": "x"}), "spec.size"),
        (json!({"size": 101}), "spec.size"),
        (json!({"size": -1}), "spec.size"),
        (json!({"color": "pink"}), "spec.color"),
        (json!({"label": "Q"}), "spec.label"),
        (json!({"label": "toolongforthis"}), "spec.label"),
        (json!({"dict": {"a": 1}}), "spec.dict.a"),
        (json!({"port": true}), "spec.port"),
    ];
    for (spec, field) in cases {
        let status = refused(env.widget("a", spec).await, 422, "Invalid")?;
        same("fields", fields(&status), vec![field])?;
    }
    env.widget("a", json!({"port": "http"})).await?;
    env.widget("b", json!({"port": 80})).await?;
    let answer = env.merge(&env.path("/a"), &json!({"spec": {"size": 500}})).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["spec.size"])
}

async fn a_missing_required_field_is_refused(env: &Env) -> Verdict {
    let status = refused(env.widget("a", json!({"env": [{"value": "1"}]})).await, 422, "Invalid")?;
    holds("the field is named", fields(&status).contains(&"spec.env[0].name"))
}

async fn duplicates_in_sets_and_keyed_lists_are_refused(env: &Env) -> Verdict {
    let twice = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]);
    let status = refused(env.widget("a", json!({"env": twice})).await, 422, "Invalid")?;
    same("fields", fields(&status), vec!["spec.env[1]"])?;
    let status = refused(env.widget("a", json!({"tags": ["x", "x"]})).await, 422, "Invalid")?;
    same("fields", fields(&status), vec!["spec.tags[1]"])
}

async fn a_status_outside_the_schema_is_refused(env: &Env) -> Verdict {
    env.widget("a", json!({})).await?;
    let answer =
        env.merge(&env.path("/a/status"), &json!({"status": {"replicas": "x"}})).await?.refuses(422, "Invalid")?;
    holds("the field is named", answer.fields().contains(&"status.replicas"))
}

async fn unknown_fields_warn_or_fail_when_strict(env: &Env) -> Verdict {
    let body =
        json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": {"name": "a"}, "spec": {"bogus": 1}});
    env.post(&env.path("?fieldValidation=Strict"), &body).await?.refuses(400, "BadRequest")?;
    let warned = env.post(&env.path(""), &body).await?.is(201)?;
    let warning =
        warned.headers.get("Warning").and_then(|warning| warning.to_str().ok()).unwrap_or_default().to_owned();
    same("warning", warning.as_str(), "299 - \"unknown field \\\"spec.bogus\\\"\"")
}

async fn an_unserved_path_is_plain_not_found(env: &Env) -> Verdict {
    let answer = env.get("/apis/no-such.group/v1/things").await?.is(404)?;
    same("body", &answer.body, "404 page not found\n")
}

async fn an_unknown_resource_of_a_served_group_is_not_found(env: &Env) -> Verdict {
    env.get(&env.core("bogus")).await?.refuses(404, "NotFound").map(|_| ())
}

async fn discovery_finds_the_kind(env: &Env) -> Verdict {
    let found = || async {
        // The groups of other rules may disappear during discovery.
        let Ok(discovery) = Discovery::new(env.client.clone()).filter(&[GROUP]).run().await else { return Ok(None) };
        let group = discovery.groups().find(|group| group.name() == GROUP);
        Ok(group.and_then(|group| group.recommended_kind("Widget")))
    };
    let (kind, capabilities) = eventually("the kind is discovered", found).await?;
    same("plural", kind.plural.as_str(), "widgets")?;
    holds("it has a status", capabilities.subresources.iter().any(|(resource, _)| resource.plural == "status"))
}

async fn a_cluster_scoped_kind_has_no_namespace(env: &Env) -> Verdict {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let mut crd = Env::definition(&env.group(), "Globe", &schema, &json!({}));
    crd["spec"]["scope"] = json!("Cluster");
    env.define(&crd).await?;
    let path = format!("/apis/{}/v1/globes", env.group());
    let body = json!({"apiVersion": format!("{}/v1", env.group()), "kind": "Globe", "metadata": {"name": "g"}});
    let made = env.post(&path, &body).await?.is(201)?;
    same("namespace", &made.body["metadata"]["namespace"], &Value::Null)?;
    env.send("DELETE", &format!("{path}/g"), "", "").await?.is(200).map(|_| ())
}
