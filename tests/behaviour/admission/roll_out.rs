//! A roll-out and a renewal of the certificate while writes are under way: none fails.

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
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, CustomResourceExt, ResourceExt};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::kinds::{Repo, repo, with};

/// At least this many writes are made.
const WRITES: usize = 10_000;
const WRITERS: usize = 8;
/// The pause of a writer after each write. Without it the writers make ten times as many writes as are needed.
const PAUSE: Duration = Duration::from_millis(20);
/// The time for all of them.
const LONG: Duration = Duration::from_secs(300);
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

/// Replaces a replica by a new one, as a roll-out does.
async fn replaced(cluster: &Cluster, target: &WebhookTarget, service: &Service, old: Replica) -> Replica {
    let next = replica(cluster, target).await;
    service.endpoints.lock().unwrap().push(next.address);
    let stopped = tokio::spawn(old.running.stop());
    tokio::time::sleep(LAG).await;
    service.endpoints.lock().unwrap().retain(|endpoint| *endpoint != old.address);
    stopped.await.unwrap().unwrap();
    next
}

fn operator(cluster: &Cluster) -> Operator {
    Operator::new("reviewer").client(cluster.client()).reconciler::<repo>(()).admission::<https_only>(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_write_is_refused_while_replicas_and_their_certificate_are_replaced() {
    let cluster = Cluster::start().await;
    cluster.seed(&Repo::crd()).await.unwrap();
    let service = Service::start().await;
    let target = WebhookTarget::url(format!("https://{}", service.address));
    let configurations = operator(&cluster).webhook_configurations(&target).unwrap();
    cluster.seed(&configurations.validating.unwrap()).await.unwrap();
    let mut current = replica(&cluster, &target).await;
    service.endpoints.lock().unwrap().push(current.address);

    let (writes, is_done) = (Arc::new(Writes::default()), Arc::new(AtomicBool::new(false)));
    let writer = |number| tokio::spawn(write(cluster.clone(), Arc::clone(&writes), number, Arc::clone(&is_done)));
    let writers: Vec<_> = (0..WRITERS).map(writer).collect();
    current = replaced(&cluster, &target, &service, current).await;
    let other = replica(&cluster, &target).await;
    service.endpoints.lock().unwrap().push(other.address);
    renew(&cluster, &writes).await;
    // API servers keep their connections. The end of a replica makes them open others, which show the new certificate.
    current = replaced(&cluster, &target, &service, current).await;
    eventually(LONG, || async { (writes.counts().iter().sum::<usize>() >= WRITES).then_some(()) }).await;
    is_done.store(true, Ordering::SeqCst);
    for writer in writers {
        assert_eq!(writer.await.unwrap(), Vec::<String>::new());
    }
    for replica in [current, other] {
        replica.running.crash().await;
    }
}

/// How many writes each writer has made.
#[derive(Default)]
struct Writes([AtomicUsize; WRITERS]);

impl Writes {
    fn counts(&self) -> [usize; WRITERS] {
        self.0.each_ref().map(|count| count.load(Ordering::SeqCst))
    }

    /// Waits until no write is under way that has begun before.
    async fn all_new(&self) {
        let before = self.counts();
        let is_new = || before.iter().zip(self.counts()).all(|(before, now)| now >= before + 2);
        eventually(SOON, || async { is_new().then_some(()) }).await;
    }
}

/// Renews the certificate as if its time had come. The operator waits a minute until it uses the new one; here it is enough that no write
/// is under way for which the API server has read the bundle without it.
async fn renew(cluster: &Cluster, writes: &Writes) {
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
    let annotate = async |name: &str, time: Timestamp| {
        let patch =
            json!({ "metadata": { "annotations": { format!("evenkeel.dev/webhook-{name}"): time.to_string() } } });
        secrets.patch("reviewer-webhook", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    };
    let certificate = async |name: &str| secrets.get("reviewer-webhook").await.unwrap().data?.remove(name);
    let before = certificate("tls.crt").await;
    annotate("expires", Timestamp::now() + SignedDuration::from_hours(24)).await;
    let next = eventually(SOON, || async {
        let secret = secrets.get("reviewer-webhook").await.unwrap();
        secret.annotations().get("evenkeel.dev/webhook-spread-at")?;
        secret.data?.remove("next.crt")
    });
    let next = Some(next.await);
    writes.all_new().await;
    annotate("spread-at", Timestamp::now() - SignedDuration::from_mins(2)).await;
    eventually(SOON, || async { (certificate("tls.crt").await == next).then_some(()) }).await;
    assert_ne!(before, next);
}

/// Creates objects without storing them, and returns the errors.
async fn write(cluster: Cluster, writes: Arc<Writes>, number: usize, is_done: Arc<AtomicBool>) -> Vec<String> {
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
        writes.0[number].fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(PAUSE).await;
    }
    errors
}
