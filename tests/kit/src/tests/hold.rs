//! Callers whose requests and responses are held.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use http::header::USER_AGENT;
use http::{Request, StatusCode};
use http_body::{Body, Frame};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{PostParams, WatchEvent, WatchParams};
use serde_json::json;
use tokio::time::{sleep, timeout};
use tower::{BoxError, ServiceExt};

use crate::{Cluster, Effect, Fault, Verb};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SECOND: Duration = Duration::from_secs(1);

/// A body with one ConfigMap, or with an error, that counts its polls.
struct Counted {
    polls: Arc<AtomicUsize>,
    breaks: bool,
    ended: bool,
}

impl Body for Counted {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        if std::mem::replace(&mut self.ended, true) {
            return Poll::Ready(None);
        }
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}}).to_string();
        Poll::Ready(Some(if self.breaks { Err("broken off".into()) } else { Ok(Frame::data(map.into())) }))
    }
}

fn create(breaks: bool) -> (Request<Counted>, Arc<AtomicUsize>) {
    let polls = Arc::<AtomicUsize>::default();
    let body = Counted { polls: polls.clone(), breaks, ended: false };
    (Request::post(MAPS).header(USER_AGENT, "writer/1.0").body(body).unwrap(), polls)
}

#[tokio::test(start_paused = true)]
async fn the_body_of_a_paused_caller_is_read_after_the_pause() {
    let cluster = Cluster::start().await;
    for caller in ["one", "writer"] {
        cluster.log().clear();
        cluster.pause(caller);
        let (request, polls) = create(false);
        let call = tokio::spawn(cluster.service_of("one").oneshot(request));
        sleep(60 * SECOND).await;
        assert_eq!((polls.load(Ordering::Relaxed), cluster.log().entries().len()), (0, 0));
        cluster.resume(caller);
        assert!(call.await.unwrap().is_ok());
        assert!(polls.load(Ordering::Relaxed) > 0);
        let entry = &cluster.log().entries()[0];
        assert_eq!((&*entry.client, entry.sent_at.as_secs() % 60), ("one", 0));
    }
    assert_eq!(cluster.log().entries()[0].sent_at.as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_body_breaks_off_is_not_carried_out() {
    let cluster = Cluster::start().await;
    let (request, _) = create(true);
    let error = cluster.service().oneshot(request).await.unwrap_err();
    assert_eq!(error.to_string(), "broken off");
    assert!(cluster.log().entries().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_arrives_after_a_partition_and_not_after_a_pause() {
    for (partition, arrives) in [(true, true), (false, false)] {
        let cluster = Cluster::start().await;
        match partition {
            true => cluster.partition("one"),
            false => cluster.pause("one"),
        }
        let (request, polls) = create(false);
        let call = cluster.service_of("one").oneshot(request);
        assert!(timeout(30 * SECOND, call).await.is_err());
        assert_eq!(polls.load(Ordering::Relaxed) > 0, partition);
        cluster.heal("one");
        cluster.resume("one");
        sleep(SECOND).await;
        let sent: Vec<u64> = cluster.log().writes().iter().map(|entry| entry.sent_at.as_secs()).collect();
        assert_eq!(sent, if arrives { vec![0] } else { Vec::new() });
    }
}

#[tokio::test(start_paused = true)]
async fn the_response_of_a_held_caller_arrives_later() {
    let cluster = Cluster::start().await;
    cluster.faults().add(Fault::new(Effect::Latency(SECOND)).verb(Verb::Create));
    let call = tokio::spawn(cluster.service_of("one").oneshot(create(false).0));
    sleep(SECOND / 2).await;
    cluster.partition("one");
    sleep(60 * SECOND).await;
    // It was carried out, and its caller does not know.
    assert_eq!(cluster.log().writes()[0].code, 201);
    assert!(!call.is_finished());
    cluster.heal("one");
    assert_eq!(call.await.unwrap().unwrap().status(), StatusCode::CREATED);
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_held_watch_arrive_later_and_in_order() {
    let cluster = Cluster::start().await;
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client_of("one"));
    let others: Api<ConfigMap> = Api::default_namespaced(cluster.client_of("two"));
    let mut watch = maps.watch(&WatchParams::default(), "0").await.unwrap().boxed();
    cluster.pause("one");
    for name in ["a", "b"] {
        let map = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
        others.create(&PostParams::default(), &map).await.unwrap();
    }
    assert!(timeout(20 * SECOND, watch.try_next()).await.is_err());
    cluster.resume("one");
    for name in ["a", "b"] {
        let Some(WatchEvent::Added(map)) = watch.try_next().await.unwrap() else { panic!("no event") };
        assert_eq!(map.metadata.name.as_deref(), Some(name));
    }
}

#[tokio::test]
async fn a_caller_on_a_socket_is_held_by_its_user_agent() {
    let cluster = Cluster::start().await;
    let serving = cluster.serve().await.unwrap();
    let http = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new()).build_http();
    let mut request = create(false).0;
    *request.uri_mut() = format!("{}{MAPS}", serving.url()).parse().unwrap();
    cluster.pause("writer");
    let call = tokio::spawn(http.request(request));
    sleep(SECOND / 20).await;
    assert!(cluster.log().entries().is_empty() && !call.is_finished());
    cluster.resume("writer");
    assert_eq!(call.await.unwrap().unwrap().status(), StatusCode::CREATED);
}

#[tokio::test(start_paused = true)]
async fn a_slow_request_ends_at_its_timeout_without_an_effect() {
    let cluster = Cluster::start().await;
    cluster.faults().add(Fault::new(Effect::Latency(10 * SECOND)).always());
    for (limit, code) in [("4500ms", 504), ("12s", 201)] {
        let (mut request, _) = create(false);
        *request.uri_mut() = format!("{MAPS}?timeout={limit}").parse().unwrap();
        let response = cluster.service().oneshot(request).await.unwrap();
        assert_eq!(response.status().as_u16(), code);
    }
    // The first one took 4.5 s.
    assert_eq!(cluster.log().entries()[1].sent_at, Duration::from_millis(4500));
}
