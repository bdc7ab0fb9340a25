//! Behaviour in trouble: the scenario of a behaviour test goes through the fault sweep of the test kit.

use std::ops::Deref;
use std::time::Duration;

use evenkeel::{Operator, Reconciler};
use evenkeel_testkit::{Disruption, Sweep, Trial};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::core::{CustomResourceExt, NamespaceResourceScope};
use kube::{Resource, api::DeleteParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::test_env::World;

/// How long a run waits, in virtual time: longer than each fault and the retries after it.
const REST: Duration = Duration::from_secs(300);
/// How many trials a scenario has at most, so that all of them together stay within a minute; `EVENKEEL_SWEEP=all` runs the rest, too.
const TRIALS: usize = 60;

/// The surroundings of one trial: a world whose operator meets trouble. What it writes has to read well to observers all the while.
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

    /// Runs an operator with one reconciler. Each life has what it depends on as a clone.
    pub fn operate<R: Reconciler<Object: CustomResourceExt, Deps: Clone>>(&self, deps: R::Deps) {
        self.wire.observers().know::<R>();
        self.run(move |operator| operator.reconciler::<R>(deps.clone()).run_until(std::future::pending()));
    }

    /// Runs what the closure makes of an operator. The observers have to [know](crate::observers::Observers::know) its reconcilers.
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

    /// Lets the operator do all that it has to do, in spite of the trouble.
    pub async fn rest(&self) {
        tokio::time::sleep(REST).await;
    }

    /// Deletes an object, and waits until it is gone.
    ///
    /// # Panics
    /// When it stays.
    pub async fn delete<K>(&self, name: &str)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + std::fmt::Debug + DeserializeOwned,
    {
        self.api::<K>().delete(name, &DeleteParams::default()).await.expect("the object is there");
        self.rest().await;
        assert!(self.api::<K>().get_opt(name).await.expect("an answer").is_none(), "{name} is still there");
    }
}

/// Runs the scenario with trouble at each of its calls and awaits: it has to end in the same state each time, and what it returns has to be
/// the same.
///
/// # Panics
/// When it does not, and when some sort of trouble never happened.
pub async fn from_everywhere<T: Serialize>(crd: &CustomResourceDefinition, scenario: impl AsyncFn(Stage) -> T) {
    swept(Sweep::new(), crd, scenario).await;
}

/// As [`from_everywhere`], without the fields that `sweep` ignores.
///
/// # Panics
/// As [`from_everywhere`].
pub async fn swept<T: Serialize>(sweep: Sweep, crd: &CustomResourceDefinition, scenario: impl AsyncFn(Stage) -> T) {
    // It holds digests of uids.
    let sweep = sweep.ignore("status.observedInputs").limit(TRIALS);
    let report = sweep.run(async |trial| scenario(Stage::new(trial, crd).await).await).await;
    report.assert_converged();
    assert_eq!(report.missed(), Vec::<&Disruption>::new(), "each kind of disruption happened");
}
