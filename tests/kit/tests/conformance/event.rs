//! Events in both API groups, and leases.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::events::v1::Event as Noted;
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, holds, refused, same};
use crate::env::{Env, text};
use crate::rule::rules;

rules![
    a_recorded_event_is_stored,
    a_repeated_event_becomes_a_series,
    an_event_is_served_in_both_groups,
    events_are_selected_by_their_object,
    an_event_about_a_cluster_object_is_in_the_default_namespace,
    only_one_holder_acquires_a_lease,
    a_lease_may_be_applied,
];

fn recorder(env: &Env) -> Recorder {
    let reporter = Reporter { controller: "conformance".into(), instance: Some("one".into()) };
    Recorder::new(env.client.clone(), reporter)
}

fn event(note: &str) -> Event {
    Event {
        type_: EventType::Normal,
        reason: "Tested".into(),
        note: Some(note.into()),
        action: "Test".into(),
        secondary: None,
    }
}

async fn subject(env: &Env) -> Result<ConfigMap, Broken> {
    Ok(env.maps().create(&PostParams::default(), &env.map("a")).await?)
}

fn noted(env: &Env) -> Api<Noted> {
    Api::namespaced(env.client.clone(), &env.namespace)
}

async fn a_recorded_event_is_stored(env: &Env) -> Verdict {
    let map = subject(env).await?;
    recorder(env).publish(&event("once"), &map.object_ref(&())).await?;
    let events = noted(env).list(&ListParams::default()).await?;
    let event = events.items.first().ok_or("no event")?;
    same("reason", event.reason.as_deref(), Some("Tested"))?;
    same("controller", event.reporting_controller.as_deref(), Some("conformance"))?;
    same("uid", event.regarding.as_ref().and_then(|regarding| regarding.uid.clone()), map.uid())
}

async fn a_repeated_event_becomes_a_series(env: &Env) -> Verdict {
    let map = subject(env).await?;
    let recorder = recorder(env);
    for _ in 0..3 {
        recorder.publish(&event("again"), &map.object_ref(&())).await?;
    }
    let events = noted(env).list(&ListParams::default()).await?;
    same("events", events.items.len(), 1)?;
    holds("it is a series", events.items[0].series.as_ref().is_some_and(|series| series.count >= 2))
}

async fn an_event_is_served_in_both_groups(env: &Env) -> Verdict {
    let map = subject(env).await?;
    recorder(env).publish(&event("both"), &map.object_ref(&())).await?;
    let core = env.get(&env.core("events")).await?.is(200)?.body;
    let event = &core["items"][0];
    same("message", &event["message"], "both")?;
    same("involved", text(&event["involvedObject"]["uid"]), map.uid().unwrap_or_default())?;
    same("component", &event["reportingComponent"], "conformance")
}

async fn events_are_selected_by_their_object(env: &Env) -> Verdict {
    let map = subject(env).await?;
    recorder(env).publish(&event("select"), &map.object_ref(&())).await?;
    let here = noted(env).list(&ListParams::default().fields("regarding.name=a")).await?;
    same("of a", here.items.len(), 1)?;
    let other = noted(env).list(&ListParams::default().fields("regarding.name=b")).await?;
    same("of b", other.items.len(), 0)?;
    let core = env.get(&env.core("events?fieldSelector=involvedObject.name%3Da,reason%3DTested")).await?.is(200)?;
    same("in the older shape", core.body["items"].as_array().map(Vec::len), Some(1))
}

async fn an_event_about_a_cluster_object_is_in_the_default_namespace(env: &Env) -> Verdict {
    let reference = k8s_openapi::api::core::v1::ObjectReference {
        kind: Some("Node".into()),
        name: Some(env.namespace.clone()),
        api_version: Some("v1".into()),
        uid: Some(env.namespace.clone()),
        ..Default::default()
    };
    recorder(env).publish(&event("node"), &reference).await?;
    let events: Api<Noted> = Api::namespaced(env.client.clone(), "default");
    let about = events.list(&ListParams::default().fields(&format!("regarding.name={}", env.namespace))).await?;
    same("events", about.items.len(), 1)
}

fn lease(holder: &str) -> Value {
    json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z"}})
}

async fn only_one_holder_acquires_a_lease(env: &Env) -> Verdict {
    let leases: Api<Lease> = Api::namespaced(env.client.clone(), &env.namespace);
    let free = leases.create(&PostParams::default(), &serde_json::from_value(lease(""))?).await?;
    let take = |holder: &str| {
        let mut lease = free.clone();
        lease.spec.get_or_insert_default().holder_identity = Some(holder.to_owned());
        lease
    };
    leases.replace("l", &PostParams::default(), &take("one")).await?;
    refused(leases.replace("l", &PostParams::default(), &take("two")).await, 409, "Conflict")?;
    let spec = leases.get("l").await?.spec.unwrap_or_default();
    same("holder", spec.holder_identity.as_deref(), Some("one"))?;
    let renewed = json!({"spec": {"renewTime": "2026-01-01T00:00:05.123456Z"}});
    let lease = leases.patch("l", &PatchParams::default(), &Patch::Merge(renewed)).await?;
    same("renewed", &serde_json::to_value(&lease)?["spec"]["renewTime"], "2026-01-01T00:00:05.123456Z")
}

async fn a_lease_may_be_applied(env: &Env) -> Verdict {
    let leases: Api<Lease> = Api::namespaced(env.client.clone(), &env.namespace);
    let one = PatchParams::apply("one");
    leases.patch("l", &one, &Patch::Apply(lease("one"))).await?;
    let two = PatchParams::apply("two");
    refused(leases.patch("l", &two, &Patch::Apply(lease("two"))).await, 409, "Conflict").map(|_| ())
}
