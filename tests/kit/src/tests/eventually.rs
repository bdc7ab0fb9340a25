//! The messages of waits that time out.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio::time::Instant;

use crate::{Cluster, eventually_eq, until};

async fn panic_message<T>(wait: impl Future<Output = T>) -> String {
    let Err(panic) = AssertUnwindSafe(wait).catch_unwind().await else { panic!("it must not succeed") };
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_timeout_shows_the_difference() {
    let seen = panic_message(eventually_eq(Duration::from_secs(7200), vec![1, 2], || async { vec![1, 3] })).await;
    assert!(seen.contains("not within 7200s") && seen.contains("-     2,\n  +     3,"), "{seen}");
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_polls_rarely_and_ends_in_time() {
    let (began, mut looks) = (Instant::now(), 0);
    let day = Duration::from_secs(86_400);
    let wait = eventually_eq(day, false, || {
        looks += 1;
        std::future::ready(true)
    });
    panic_message(wait).await;
    assert!(looks < 3000, "{looks}");
    assert_eq!(began.elapsed().as_secs(), day.as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_timeout_shows_the_last_state_and_changes() {
    let cluster = Cluster::start().await;
    let namespaces: Api<Namespace> = Api::all(cluster.client());
    let writer = namespaces.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let patch = Patch::Merge(json!({"metadata": {"labels": {"mood": "good"}}}));
        writer.patch("default", &PatchParams::default(), &patch).await.unwrap();
    });
    let seen = panic_message(until(&namespaces, "default", Duration::from_secs(5), |_| false)).await;
    assert!(seen.contains("default is not as wanted within 5s\nchanged meanwhile:"), "{seen}");
    assert!(seen.contains("+     mood: good") && seen.contains("\nnow:\n"), "{seen}");
    let seen = panic_message(until(&namespaces, "nowhere", Duration::from_secs(5), |_| true)).await;
    assert!(seen.contains("it is not there"), "{seen}");
}
