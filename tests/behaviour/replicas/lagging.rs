//! A new leader whose cache lags behind the writes of the former one.

use axum::body::Body;
use evenkeel::testing::fenced_client;
use evenkeel_testkit::Verb;
use futures::StreamExt;
use http::{Request, Response};
use kube::CustomResourceExt;
use tower::{BoxError, Service, ServiceExt, service_fn};

use super::*;
use crate::operation::{Engine, Plant, an_engine, engine};

const LAG: Duration = Duration::from_secs(20);

/// An HTTP client whose watches of engines deliver each event late.
fn lagging<B>(
    cluster: &Cluster,
    name: &str,
) -> impl Service<Request<B>, Response = Response<Body>, Error = BoxError, Future: Send> + Clone + use<B>
where
    B: http_body::Body<Data = bytes::Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let service = cluster.service_of(name);
    service_fn(move |request: Request<B>| {
        let service = service.clone();
        async move {
            let is_late = request.uri().path().ends_with("/engines")
                && request.uri().query().unwrap_or_default().contains("watch=true");
            let response = service.oneshot(request).await?;
            Ok(match is_late {
                false => response,
                true => response.map(|body| {
                    Body::from_stream(body.into_data_stream().then(|event| async {
                        sleep(LAG).await;
                        event
                    }))
                }),
            })
        }
    })
}

fn replica(world: &World, client: kube::Client, plant: &Arc<Plant>) -> Running {
    let replicas = Replicas { namespace: Some(world.namespace.clone()), ..Replicas::default() };
    let operator = Operator::new("shop").test_client(client).namespaces([&world.namespace]);
    Running::start(operator.reconciler::<engine>(plant.clone()).replicas_with(replicas))
}

#[tokio::test(start_paused = true)]
async fn a_recorded_operation_is_not_started_again_by_a_leader_whose_watch_lags() {
    let world = World::within(Cluster::start().await);
    world.install(&Engine::crd()).await;
    let cluster = world.cluster();
    let plant = Plant::taking(5);
    world.create::<Engine>(an_engine(1)).await;
    let first = replica(&world, fenced_client(cluster.service_of("first")), &plant);
    let second = replica(&world, fenced_client(lagging(cluster, "second")), &plant);
    world.until::<Engine>("e", "begun", |e| e["status"]["building"].is_object()).await;
    first.crash().await;
    let crashed = Instant::now();
    let object = world.until::<Engine>("e", "built", |e| e["status"]["built"].is_string()).await;
    assert_eq!(object["status"]["built"], "made by order of size 1");
    assert_eq!(plant.started(), 1);
    let reads = cluster.log().requests().resource("engines").verb(Verb::Get);
    let of_second = reads.filter(|entry| entry.client == "second");
    assert_eq!(of_second.count(), 1, "one live read in the term");
    assert!(crashed.elapsed() > 15 * SECOND);
    assert!(reads.filter(|entry| entry.client == "first").count() <= 1);
    second.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_operator_without_replicas_reads_no_object() {
    let world = world().await;
    let operator = world.operator::<widget>(Lab::at("a"));
    world.create::<Widget>(a_widget("w", json!({}))).await;
    world.until::<Widget>("w", "reconciled", is_ready).await;
    assert_eq!(world.wire.count(|call| call.method == "GET" && call.path.ends_with("/widgets/w")), 0);
    operator.stop().await.unwrap();
}
