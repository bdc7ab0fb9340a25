//! The renewal of the certificate over months, with several replicas that restart.

use std::collections::VecDeque;
use std::time::Duration;

use evenkeel_testkit::{Cluster, Effect, Fault, Verb};
use jiff::SignedDuration;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_util::task::AbortOnDropHandle;

use super::super::{Served, Source};
use super::{bundles, configuration, names, secret, text};
use crate::client::named;
use crate::clock;

const HOUR: Duration = Duration::from_secs(3600);
/// The name of the replicas in the faults of the cluster.
const CALLER: &str = "shop";

/// A replica without its server: the certificate that it would present.
struct Replica {
    served: watch::Receiver<Served>,
    _task: AbortOnDropHandle<()>,
}

fn replica(cluster: &Cluster) -> Replica {
    let source = Source::SelfSigned(names());
    let (sender, served) = watch::channel(source.first().unwrap());
    let task = tokio::spawn(source.follow(named(&cluster.client(), CALLER), sender));
    Replica { served, _task: AbortOnDropHandle::new(task) }
}

impl Replica {
    /// Whether an API server with this bundle accepts the certificate. A replica without one is not ready and gets no calls.
    fn is_accepted(&self, bundle: &str) -> bool {
        let served = self.served.borrow();
        let Some(certified) = &served.certified else { return true };
        CertificateDer::pem_slice_iter(bundle.as_bytes()).any(|trusted| trusted.unwrap() == certified.cert[0])
    }
}

async fn settled(cluster: &Cluster) {
    let spread = || async { bundles(cluster, "validatingwebhookconfigurations").await[0].clone() };
    evenkeel_testkit::eventually(Duration::from_secs(60), spread).await;
}

/// Checks at each step of `every` for `time` that all replicas present a certificate that was in the bundle a minute ago, since API servers
/// read the configuration with a delay. Returns the number of different certificates.
async fn watch_calls(cluster: &Cluster, replicas: &mut [Replica], time: Duration, every: Duration) -> usize {
    let (end, mut certificates) = (Instant::now() + time, Vec::new());
    let mut bundles_before: VecDeque<(Instant, String)> = VecDeque::new();
    let mut turn = 0_usize;
    while Instant::now() < end {
        let bundle = bundles(cluster, "validatingwebhookconfigurations").await[0].clone().unwrap();
        bundles_before.push_back((Instant::now(), bundle));
        while bundles_before.get(1).is_some_and(|(since, _)| since.elapsed() >= Duration::from_secs(60)) {
            bundles_before.pop_front();
        }
        let seen = &bundles_before[0].1;
        assert!(
            replicas.iter().all(|replica| replica.is_accepted(seen)),
            "a call would fail at {:?}",
            end - Instant::now()
        );
        let current = text(&secret(cluster).await.unwrap(), "tls.crt");
        if certificates.last() != Some(&current) {
            certificates.push(current);
        }
        turn += 1;
        if turn.is_multiple_of(97) {
            let index = turn % replicas.len();
            replicas[index] = replica(cluster);
        }
        sleep(every).await;
    }
    certificates.len()
}

/// Moves the expiry so that the renewal is due in half an hour.
async fn begin_renewal(cluster: &Cluster) {
    let expires = clock::now() + SignedDuration::from_hours(30 * 24) + SignedDuration::from_mins(30);
    let change = json!({"metadata": {"annotations": {"evenkeel.dev/webhook-expires": expires.to_string()}}});
    let secrets: Api<Secret> = Api::namespaced(cluster.client(), "default");
    secrets.patch("shop-webhook", &PatchParams::default(), &Patch::Merge(change)).await.unwrap();
}

async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.seed(configuration("ValidatingWebhookConfiguration", &["shop-webhooks"]).to_string()).await.unwrap();
    cluster
}

#[tokio::test(start_paused = true)]
async fn no_call_is_refused_during_a_renewal() {
    let cluster = cluster().await;
    let mut replicas: Vec<Replica> = (0..3).map(|_| replica(&cluster)).collect();
    settled(&cluster).await;
    begin_renewal(&cluster).await;
    assert_eq!(watch_calls(&cluster, &mut replicas, HOUR * 4, Duration::from_secs(5)).await, 2);
    assert_eq!(
        bundles(&cluster, "validatingwebhookconfigurations").await[0].as_ref().unwrap().matches("BEGIN").count(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn no_call_is_refused_while_writes_fail_during_a_renewal() {
    for effect in Effect::ALL {
        let cluster = cluster().await;
        let mut replicas: Vec<Replica> = (0..3).map(|_| replica(&cluster)).collect();
        settled(&cluster).await;
        begin_renewal(&cluster).await;
        for verb in [Verb::Get, Verb::Update, Verb::Patch] {
            cluster.faults().add(Fault::new(effect.clone()).verb(verb).caller(CALLER).times(5));
        }
        assert_eq!(watch_calls(&cluster, &mut replicas, HOUR * 3, Duration::from_secs(30)).await, 2, "{effect:?}");
    }
}
