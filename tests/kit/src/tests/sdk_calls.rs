//! A sweep over calls of an SDK that knows nothing of the kit.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};

use crate::{Crash, Disruption, Effect, Report, SdkCalls, Sweep, Trial, eventually};

/// The SDK of an author, with an error of its own.
#[derive(Clone, Default)]
struct Buckets(Arc<Mutex<BTreeSet<String>>>);

#[derive(Debug)]
struct NoSuchBucket;

impl Buckets {
    async fn create(&self, name: &str) {
        tokio::task::yield_now().await;
        self.0.lock().unwrap().insert(name.to_owned());
    }

    async fn size(&self, name: &str) -> Result<u64, NoSuchBucket> {
        self.0.lock().unwrap().get(name).map(|_| 7).ok_or(NoSuchBucket)
    }
}

/// Creates a bucket for the ConfigMap, and tries again until it is there.
async fn operator(client: Client, calls: SdkCalls, buckets: Buckets, patient: bool) {
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let round = async {
            if maps.get_opt("a").await.ok().flatten().is_none() {
                return;
            }
            let found = calls.read("size of a", buckets.size("a")).await;
            if matches!(found, Ok(Err(NoSuchBucket))) {
                let _ = calls.write("create a", buckets.create("a")).await;
            }
        };
        // Without a limit, a call that never returns stops the operator.
        let limit = if patient { Duration::from_secs(1_000_000) } else { Duration::from_secs(60) };
        let _ = tokio::time::timeout(limit, round).await;
    }
}

async fn scenario(trial: Trial, patient: bool) -> Vec<String> {
    let buckets = Buckets::default();
    let (calls, of_operator) = (trial.sdk_calls(), buckets.clone());
    trial.cluster().seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").await.unwrap();
    trial.operate(move |client| operator(client, calls.clone(), of_operator.clone(), patient));
    eventually(Duration::from_secs(1200), || async { (!buckets.0.lock().unwrap().is_empty()).then_some(()) }).await;
    buckets.0.lock().unwrap().iter().cloned().collect()
}

async fn swept(disruptions: Vec<Disruption>, patient: bool) -> Report {
    Sweep::new().disruptions(disruptions).run(async |trial| scenario(trial, patient).await).await
}

#[tokio::test(start_paused = true)]
async fn each_call_of_an_sdk_is_disrupted() {
    let faults = [Effect::Internal, Effect::Hang, Effect::LostAnswer, Effect::Latency(Duration::from_secs(5))];
    let crashes = [Crash::Before, Crash::After].map(Disruption::Crash);
    let disruptions: Vec<Disruption> = faults.into_iter().map(Disruption::Fault).chain(crashes).collect();
    let report = swept(disruptions.clone(), false).await;
    report.assert_converged();
    let visits = |point: &str| report.visits().iter().filter(|visit| visit.point == point).count();
    assert_eq!(visits("external create a"), disruptions.len(), "a write has all of them");
    assert!(visits("external size of a") >= disruptions.len() - 2, "a read has no lost answer and no crash after it");
}

#[tokio::test(start_paused = true)]
async fn an_operator_without_a_time_limit_is_found() {
    let report = swept(vec![Disruption::Fault(Effect::Hang)], true).await;
    let failed = report.failures().count();
    assert!(failed > 0, "a call that never returns blocks it for ever");
}
