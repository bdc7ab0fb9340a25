//! Fault sweep of the README operator: one fault at each API call. Every run must end with the same ConfigMap.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the operator is a program")]

#[path = "../src/bin/hello.rs"]
mod hello;

use std::time::Duration;

use evenkeel::Operator;
use evenkeel_testkit::{Disruption, Seed, Sweep, Trial};
use hello::{Greeting, greeting};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;

/// How long a run waits, in virtual time: longer than each fault and the retries after it.
const REST: Duration = Duration::from_secs(900);

/// Renames a greeting and deletes its ConfigMap without the operator.
async fn scenario(trial: Trial) -> Option<String> {
    let seed = Seed::from(&evenkeel::crd::<greeting>()).and(json!({ "apiVersion": "demo.evenkeel.dev/v1",
        "kind": "Greeting", "metadata": { "name": "g" }, "spec": { "name": "you" } }));
    trial.cluster().seed(seed).await.expect("the greeting is accepted");
    trial.operate(|client| {
        Operator::new("greeter").client(client).reconciler::<greeting>(()).run_until(std::future::pending())
    });
    tokio::time::sleep(REST).await;
    let greetings: Api<Greeting> = Api::default_namespaced(trial.client());
    let renamed = Patch::Merge(json!({ "spec": { "name": "there" } }));
    greetings.patch("g", &PatchParams::default(), &renamed).await.expect("the greeting is there");
    tokio::time::sleep(REST).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(trial.client());
    maps.delete("g", &DeleteParams::default()).await.expect("the map is there");
    tokio::time::sleep(REST).await;
    maps.get("g").await.ok()?.data?.remove("text")
}

#[tokio::test(start_paused = true)]
async fn the_operator_converges_after_any_fault() {
    // The field holds digests of uids.
    let report = Sweep::new().ignore("status.observedInputs").run(scenario).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}
