//! Owner references and the deletion of namespaces, which controllers handle.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, PostParams};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, holds, refused, same};
use crate::env::{Env, map};
use crate::rule::rules;

rules![
    dependents_are_deleted_after_their_owner,
    dependents_of_dependents_are_deleted_too,
    a_foreground_deletion_waits_for_blocking_dependents,
    orphans_stay_without_owner_reference,
    a_dependent_of_an_unknown_owner_is_collected,
    a_dependent_of_two_owners_stays_with_one,
    a_custom_resource_may_own_a_built_in_object,
    a_second_controller_is_refused,
    the_default_namespaces_exist,
    the_default_namespace_cannot_be_deleted,
    a_deleted_namespace_deletes_its_objects,
    a_terminating_namespace_rejects_creates,
];

async fn owner(env: &Env, name: &str) -> Result<ConfigMap, Broken> {
    Ok(env.maps().create(&PostParams::default(), &env.map(name)).await?)
}

fn reference(owner: &ConfigMap) -> Value {
    let metadata = &owner.metadata;
    json!({"apiVersion": "v1", "kind": "ConfigMap", "name": metadata.name, "uid": metadata.uid, "blockOwnerDeletion": true})
}

async fn dependent(env: &Env, name: &str, owners: &[Value], finalizers: &[&str]) -> Result<ConfigMap, Broken> {
    let dependent = map(json!({"metadata": {"name": name, "ownerReferences": owners, "finalizers": finalizers}}));
    Ok(env.maps().create(&PostParams::default(), &dependent).await?)
}

async fn ends(env: &Env, name: &str) -> Verdict {
    let gone = || async { Ok(env.maps().get_opt(name).await?.is_none().then_some(())) };
    eventually(&format!("{name} ends"), gone).await
}

async fn dependents_are_deleted_after_their_owner(env: &Env) -> Verdict {
    let own = owner(env, "own").await?;
    dependent(env, "dep", &[reference(&own)], &[]).await?;
    env.maps().delete("own", &DeleteParams::background()).await?;
    ends(env, "dep").await
}

async fn dependents_of_dependents_are_deleted_too(env: &Env) -> Verdict {
    let first = owner(env, "first").await?;
    let second = dependent(env, "second", &[reference(&first)], &[]).await?;
    dependent(env, "third", &[reference(&second)], &[]).await?;
    env.maps().delete("first", &DeleteParams::default()).await?;
    ends(env, "third").await?;
    ends(env, "second").await
}

async fn a_foreground_deletion_waits_for_blocking_dependents(env: &Env) -> Verdict {
    let own = owner(env, "own").await?;
    dependent(env, "dep", &[reference(&own)], &["conform.evenkeel.dev/f"]).await?;
    let ending = env.maps().delete("own", &DeleteParams::foreground()).await?.left().ok_or("it ended at once")?;
    same("finalizers", ending.metadata.finalizers, Some(vec!["foregroundDeletion".to_owned()]))?;
    let deleting = || async {
        let dependent = env.maps().get("dep").await?;
        Ok(dependent.metadata.deletion_timestamp.map(|_| ()))
    };
    eventually("the dependent is being deleted", deleting).await?;
    holds("the owner waits", env.maps().get_opt("own").await?.is_some())?;
    env.merge(&env.core("configmaps/dep"), &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    ends(env, "own").await?;
    ends(env, "dep").await
}

async fn orphans_stay_without_owner_reference(env: &Env) -> Verdict {
    let own = owner(env, "own").await?;
    dependent(env, "dep", &[reference(&own)], &[]).await?;
    env.maps().delete("own", &DeleteParams::orphan()).await?;
    ends(env, "own").await?;
    same("references", env.maps().get("dep").await?.metadata.owner_references, None)
}

async fn a_dependent_of_an_unknown_owner_is_collected(env: &Env) -> Verdict {
    let never = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "never", "uid": "00000000-0000-0000-0000-000000000009"});
    dependent(env, "dep", &[never], &[]).await?;
    ends(env, "dep").await
}

async fn a_dependent_of_two_owners_stays_with_one(env: &Env) -> Verdict {
    let (one, two) = (owner(env, "one").await?, owner(env, "two").await?);
    dependent(env, "dep", &[reference(&one), reference(&two)], &[]).await?;
    env.maps().delete("one", &DeleteParams::background()).await?;
    let released = || async {
        let dependent = env.maps().get("dep").await?;
        let left = dependent.metadata.owner_references.unwrap_or_default();
        Ok((left.len() == 1 && left[0].name == "two").then_some(()))
    };
    eventually("only the living owner is referred to", released).await?;
    env.maps().delete("two", &DeleteParams::background()).await?;
    ends(env, "dep").await
}

async fn a_custom_resource_may_own_a_built_in_object(env: &Env) -> Verdict {
    let widget = env.widget("w", json!({})).await?;
    let reference = json!({"apiVersion": "conform.evenkeel.dev/v1", "kind": "Widget", "name": "w", "uid": widget.metadata.uid, "controller": true});
    dependent(env, "dep", &[reference], &[]).await?;
    env.widgets().delete("w", &DeleteParams::default()).await?;
    ends(env, "dep").await
}

async fn a_second_controller_is_refused(env: &Env) -> Verdict {
    let (one, two) = (owner(env, "one").await?, owner(env, "two").await?);
    let controller = |owner: &ConfigMap| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner.metadata.name, "uid": owner.metadata.uid, "controller": true});
    let body = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dep", "ownerReferences": [controller(&one), controller(&two)]}});
    let answer = env.post(&env.core("configmaps"), &body).await?.refuses(422, "Invalid")?;
    same("fields", answer.fields(), vec!["metadata.ownerReferences"])
}

async fn the_default_namespaces_exist(env: &Env) -> Verdict {
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        let namespace = env.get(&format!("/api/v1/namespaces/{name}")).await?.is(200)?;
        same(name, &namespace.body["status"]["phase"], "Active")?;
    }
    Ok(())
}

async fn the_default_namespace_cannot_be_deleted(env: &Env) -> Verdict {
    env.send("DELETE", "/api/v1/namespaces/default", "", "").await?.refuses(403, "Forbidden").map(|_| ())
}

/// A namespace that is being deleted and contains an object with a finalizer.
async fn ending(env: &Env) -> Result<Env, Broken> {
    let inner = Env { namespace: format!("{}-in", env.namespace), ..env.clone() };
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inner.namespace}});
    env.post("/api/v1/namespaces", &body).await?.is(201)?;
    owner(&inner, "free").await?;
    let held = map(json!({"metadata": {"name": "held", "finalizers": ["conform.evenkeel.dev/f"]}}));
    inner.maps().create(&PostParams::default(), &held).await?;
    inner.send("DELETE", &format!("/api/v1/namespaces/{}", inner.namespace), "", "").await?.is(200)?;
    Ok(inner)
}

async fn a_deleted_namespace_deletes_its_objects(env: &Env) -> Verdict {
    let inner = ending(env).await?;
    ends(&inner, "free").await?;
    let path = format!("/api/v1/namespaces/{}", inner.namespace);
    same("phase", &inner.get(&path).await?.is(200)?.body["status"]["phase"], "Terminating")?;
    let deleting = || async { Ok(inner.maps().get("held").await?.metadata.deletion_timestamp.map(|_| ())) };
    eventually("what is held is being deleted", deleting).await?;
    inner.merge(&inner.core("configmaps/held"), &json!({"metadata": {"finalizers": null}})).await?.is(200)?;
    let gone = || async { Ok((inner.get(&path).await?.status == 404).then_some(())) };
    eventually("the namespace ends", gone).await
}

async fn a_terminating_namespace_rejects_creates(env: &Env) -> Verdict {
    let inner = ending(env).await?;
    let status = refused(inner.maps().create(&PostParams::default(), &inner.map("late")).await, 403, "Forbidden")?;
    let causes = status.details.map(|details| details.causes).unwrap_or_default();
    same("cause", causes.first().map(|cause| cause.reason.as_str()), Some("NamespaceTerminating"))?;
    inner.merge(&inner.core("configmaps/held"), &json!({"metadata": {"finalizers": null}})).await?.is(200).map(|_| ())
}
