//! The whole life of watched objects under each fault: each object that was added ends with `delete` as its last call.

use std::time::Duration;

use evenkeel_tests::sweep::{Stage, from_everywhere, from_everywhere_without_subresources};
use evenkeel_tests::test_env::SOON;
use evenkeel_tests::widget::is_ready;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::CustomResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use super::bare::{ADDED, LeanMaps, MapWatcher, Maps, a_map_named};
use super::service::{Info, Infos, Service, info};

/// The calls for one object, in order.
fn calls_for(service: &Service, name: &str) -> Vec<String> {
    let is_for = |call: &String| call.contains(&format!(" {name}="));
    service.calls().into_iter().filter(is_for).collect()
}

/// Whether a call for the object was lost, or came after the end of the object.
fn is_misled(service: &Service, name: &str, is_deleted: bool) -> bool {
    let calls = calls_for(service, name);
    let is_end = |call: &String| call.starts_with("delete");
    let first_end = calls.iter().position(is_end);
    match is_deleted {
        // It may be deleted before any call was made for it.
        true => {
            !calls.is_empty() && (!calls.last().is_some_and(is_end) || !calls[first_end.unwrap()..].iter().all(is_end))
        }
        false => first_end.is_some() || !calls.first().is_some_and(|call| call.starts_with("add")),
    }
}

/// Three objects: one is deleted soon, one stays and is changed, one is changed and deleted at once.
async fn live(stage: &Stage, change: Value, api: impl AsyncFn(&str, Option<Value>)) {
    tokio::time::sleep(Duration::from_secs(10)).await;
    api("goes", None).await;
    stage.rest().await;
    api("stays", Some(change.clone())).await;
    api("ends", Some(change)).await;
    api("ends", None).await;
    stage.rest().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_with_a_status_ends_with_its_deletion() {
    from_everywhere(&Info::crd(), async |stage| {
        for name in ["stays", "goes", "ends"] {
            stage.create::<Info>(info(name, "one")).await;
        }
        let service = Service::new();
        stage.operate::<Infos>(Infos { service: service.clone() });
        live(&stage, json!({ "spec": { "text": "two" } }), async |name, change| match change {
            Some(change) => drop(stage.merge::<Info>(name, change).await),
            None => drop(stage.api::<Info>().delete(name, &DeleteParams::default()).await.unwrap()),
        })
        .await;
        assert!(is_ready(&stage.raw::<Info>("stays").await));
        for name in ["goes", "ends"] {
            assert!(stage.api::<Info>().get_opt(name).await.unwrap().is_none(), "{name}");
        }
        assert!(calls_for(&service, "stays").last().unwrap().contains("stays=two"));
        is_misled(&service, "goes", true) || is_misled(&service, "ends", true) || is_misled(&service, "stays", false)
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_object_of_a_bare_kind_ends_with_its_deletion() {
    a_bare_object_ends_with_its_deletion::<Maps>().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_without_a_cache_ends_with_its_deletion() {
    a_bare_object_ends_with_its_deletion::<LeanMaps>().await;
}

async fn a_bare_object_ends_with_its_deletion<W: MapWatcher>() {
    // Any CRD: the kind of this test needs none.
    from_everywhere_without_subresources(&Info::crd(), async |stage| {
        for name in ["stays", "goes", "ends"] {
            stage.create::<ConfigMap>(a_map_named(name, "one")).await;
        }
        let service = Service::new();
        let maps = W::from(service.clone());
        stage.run(move |operator| operator.watcher::<W>(maps.clone()).run_until(std::future::pending()));
        live(&stage, json!({ "data": { "k": "two" } }), async |name, change| match change {
            Some(change) => drop(stage.merge::<ConfigMap>(name, change).await),
            None => drop(stage.api::<ConfigMap>().delete(name, &DeleteParams::default()).await.unwrap()),
        })
        .await;
        assert_eq!(stage.raw::<ConfigMap>("stays").await["metadata"]["finalizers"], json!([ADDED]));
        for name in ["goes", "ends"] {
            assert!(stage.api::<ConfigMap>().get_opt(name).await.unwrap().is_none(), "{name} within {SOON:?}");
        }
        assert!(calls_for(&service, "stays").last().unwrap().contains("stays=two"));
        is_misled(&service, "goes", true) || is_misled(&service, "ends", true) || is_misled(&service, "stays", false)
    })
    .await;
}
