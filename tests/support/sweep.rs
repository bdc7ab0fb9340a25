//! Behaviour under faults: the scenario of a behaviour test runs through the fault sweep of the test kit.

use std::ops::Deref;
use std::time::Duration;

use evenkeel::{Operator, Reconciler};
use evenkeel_testkit::{Disruption, Effect, Report, Sweep, Trial};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::core::{CustomResourceExt, NamespaceResourceScope};
use kube::{Resource, api::DeleteParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::test_env::World;

/// The duration of a run, in virtual time: longer than each fault and the retries after it.
const REST: Duration = Duration::from_secs(300);
/// The maximum number of trials per scenario, so that all of them together stay within a minute; `EVENKEEL_SWEEP=all` runs the rest as
/// well.
const TRIALS: usize = 60;

/// The environment of one trial: a world with a fault for the operator. Observers must be able to read everything that it writes.
pub struct Stage {
    world: World,
    trial: Trial,
}

impl Deref for Stage {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Stage {
    async fn new(trial: Trial, crd: &CustomResourceDefinition) -> Self {
        let world = World::within(trial.cluster().clone());
        world.install(crd).await;
        Self { world, trial }
    }

    /// Runs an operator with one reconciler. Each life gets a clone of its dependencies.
    pub fn operate<R: Reconciler<Object: CustomResourceExt, Deps: Clone>>(&self, deps: R::Deps) {
        self.wire.observers().know::<R>();
        self.run(move |operator| operator.reconciler::<R>(deps.clone()).run_until(std::future::pending()));
    }

    /// Runs the operator that the closure creates. Its reconcilers must be [registered](crate::observers::Observers::know) with the
    /// observers.
    pub fn run<F, Fut>(&self, life: F)
    where
        F: Fn(Operator) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: Send> + Send + 'static,
    {
        let (wire, namespace) = (self.wire.clone(), self.namespace.clone());
        self.trial.operate(move |client: Client| {
            life(Operator::new("tester").client(wire.client(&client)).namespaces([&*namespace]))
        });
    }

    /// Waits until the operator has finished all work in spite of the fault.
    pub async fn rest(&self) {
        tokio::time::sleep(REST).await;
    }

    /// Deletes an object, and waits until it is gone.
    ///
    /// # Panics
    /// It is not removed.
    pub async fn delete<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + std::fmt::Debug + DeserializeOwned,
    {
        self.api::<K>().delete(name, &DeleteParams::default()).await.expect("the object is there");
        self.rest().await;
        assert!(self.api::<K>().get_opt(name).await.expect("an answer").is_none(), "{name} is still there");
    }
}

/// Runs the scenario with a fault at each of its calls and awaits: each run must end in the same state and return the same value.
///
/// # Panics
/// A run differs, or some kind of fault never occurred.
pub async fn from_everywhere<T: Serialize>(crd: &CustomResourceDefinition, scenario: impl AsyncFn(Stage) -> T) {
    swept(Sweep::new(), crd, scenario).await;
}

/// The same for an operator that calls no subresource, so that the fault of a missing one cannot occur.
///
/// # Panics
/// As for [`from_everywhere`].
pub async fn from_everywhere_without_subresources<T: Serialize>(
    crd: &CustomResourceDefinition,
    scenario: impl AsyncFn(Stage) -> T,
) {
    let report = report(Sweep::new(), crd, scenario).await;
    assert_eq!(report.missed(), [&Disruption::Fault(Effect::SubresourceNotFound)]);
}

/// Like [`from_everywhere`], without the fields that `sweep` ignores.
///
/// # Panics
/// As for [`from_everywhere`].
pub async fn swept<T: Serialize>(sweep: Sweep, crd: &CustomResourceDefinition, scenario: impl AsyncFn(Stage) -> T) {
    let report = report(sweep, crd, scenario).await;
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}

/// Runs the sweep and checks that each run ends in the same state.
async fn report<T: Serialize>(
    sweep: Sweep,
    crd: &CustomResourceDefinition,
    scenario: impl AsyncFn(Stage) -> T,
) -> Report {
    // The field holds digests of uids.
    let sweep = sweep.ignore("status.observedInputs").limit(TRIALS);
    let report = sweep.run(async |trial| scenario(Stage::new(trial, crd).await).await).await;
    report.assert_converged();
    report
}
