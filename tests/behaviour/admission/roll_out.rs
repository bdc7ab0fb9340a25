//! A roll-out: the replicas are replaced one after the other while writes are under way, and none fails.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel::admission::WebhookTarget;
use evenkeel::prelude::*;
use evenkeel::{Operator, WebhookServer};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::listener::{get, listening};
use evenkeel_tests::test_env::{Running, SOON};
use kube::api::PostParams;
use kube::{Api, CustomResourceExt};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::kinds::{Repo, repo, with};

/// At least this many writes are made.
const WRITES: usize = 2000;
/// The time after which the Service no longer sends calls to a replica that ends.
const LAG: Duration = Duration::from_secs(2);

#[validate]
fn https_only(repo: &Repo) -> Result<(), Denial> {
    if repo.spec.url.starts_with("https:") { Ok(()) } else { Err(Denial::new("use https")) }
}

/// A Service: each connection goes to the next of its endpoints.
struct Service {
    address: SocketAddr,
    endpoints: Arc<Mutex<Vec<SocketAddr>>>,
    _task: AbortOnDropHandle<()>,
}

impl Service {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoints: Arc<Mutex<Vec<SocketAddr>>> = Arc::default();
        let shared = Arc::clone(&endpoints);
        let task = tokio::spawn(async move {
            for turn in 0.. {
                let (mut client, _) = listener.accept().await.unwrap();
                let endpoint = {
                    let endpoints = shared.lock().unwrap();
                    endpoints[turn % endpoints.len()]
                };
                tokio::spawn(async move {
                    let mut replica = TcpStream::connect(endpoint).await?;
                    tokio::io::copy_bidirectional(&mut client, &mut replica).await
                });
            }
        });
        Self { address, endpoints, _task: AbortOnDropHandle::new(task) }
    }
}

struct Replica {
    address: SocketAddr,
    running: Running,
}

/// Starts a replica, and waits until its probe succeeds.
async fn replica(cluster: &Cluster, target: &WebhookTarget) -> Replica {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let (operator, probes) = listening(operator(cluster).webhooks(WebhookServer::on(socket).target(target.clone())));
    let running = Running::start(operator);
    eventually(SOON, || async { (get(probes, "/readyz").await.status == 200).then_some(()) }).await;
    Replica { address, running }
}

fn operator(cluster: &Cluster) -> Operator {
    Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(()).admission::<https_only>(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_write_is_refused_while_replicas_are_replaced() {
    let cluster = Cluster::start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    let service = Service::start().await;
    let target = WebhookTarget::url(format!("https://{}", service.address));
    let configurations = operator(&cluster).webhook_configurations(&target).unwrap();
    cluster.seed(&configurations.validating.unwrap()).await.unwrap();
    let mut current = replica(&cluster, &target).await;
    service.endpoints.lock().unwrap().push(current.address);

    let (writes, is_done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let writers: Vec<_> =
        (0..8).map(|_| tokio::spawn(write(cluster.clone(), Arc::clone(&writes), Arc::clone(&is_done)))).collect();
    for _ in 0..2 {
        let next = replica(&cluster, &target).await;
        service.endpoints.lock().unwrap().push(next.address);
        let old = std::mem::replace(&mut current, next);
        let stopped = tokio::spawn(old.running.stop());
        tokio::time::sleep(LAG).await;
        service.endpoints.lock().unwrap().retain(|endpoint| *endpoint != old.address);
        stopped.await.unwrap().unwrap();
    }
    eventually(SOON, || async { (writes.load(Ordering::SeqCst) >= WRITES).then_some(()) }).await;
    is_done.store(true, Ordering::SeqCst);
    for writer in writers {
        assert_eq!(writer.await.unwrap(), Vec::<String>::new());
    }
    current.running.crash().await;
}

/// Creates objects without storing them, and returns the errors.
async fn write(cluster: Cluster, writes: Arc<AtomicUsize>, is_done: Arc<AtomicBool>) -> Vec<String> {
    let repos: Api<Repo> = Api::namespaced(cluster.client(), "default");
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    let mut object = with(&json!({ "url": "https://a" }));
    object["metadata"] = json!({ "name": "a" });
    let object: Repo = serde_json::from_value(object).unwrap();
    let mut errors = Vec::new();
    while !is_done.load(Ordering::SeqCst) {
        if let Err(error) = repos.create(&dry, &object).await {
            errors.push(error.to_string());
        }
        writes.fetch_add(1, Ordering::SeqCst);
    }
    errors
}
