//! Table tests: for the given objects, one pass makes exactly the listed writes and events.

#[cfg(feature = "webhooks")]
mod admit;
mod expected;
#[cfg(feature = "evenkeel")]
mod pass;
mod seen;
#[cfg(feature = "evenkeel")]
mod step;
#[cfg(feature = "evenkeel")]
mod undeclared;

use std::fmt::Debug;

use kube::Client;

pub use seen::Seen;

use crate::cluster::Cluster;
use crate::fault::Fault;
use crate::seed::{Seed, SeedError};

/// A row of a table test: a name, initial objects and fault rules.
///
/// [`call`](Row::call) runs any function that takes a client. With the feature `evenkeel`, `pass` runs a reconciler and
/// `step` runs one of its steps. With `webhooks`, `admit` sends a write through the rules and webhooks of an operator.
///
/// [`Seen::expect`] compares the result with an expectation in YAML. It contains the writes in order, the events, the
/// conditions of the objects whose status was written, and the outcome. For a write, it may list the relevant fields of
/// the body. A write, event or condition that the expectation does not list is an error.
///
/// ```
/// use evenkeel_testkit::Row;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{DeleteParams, Patch, PatchParams};
/// use kube::{Api, Client};
/// use serde_json::json;
///
/// /// Increments a counter, and deletes an old ConfigMap.
/// async fn reconcile(client: Client) -> kube::Result<u64> {
///     let maps: Api<ConfigMap> = Api::default_namespaced(client);
///     let count = maps.get("counter").await?.data.and_then(|data| data.get("n")?.parse().ok()).unwrap_or(0) + 1;
///     let patch = Patch::Merge(json!({"data": {"n": count.to_string()}}));
///     maps.patch("counter", &PatchParams::default(), &patch).await?;
///     maps.delete("old", &DeleteParams::default()).await?;
///     Ok(count)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// const MAPS: &str = "
/// {apiVersion: v1, kind: ConfigMap, metadata: {name: counter}, data: {n: '1'}}
/// ---
/// {apiVersion: v1, kind: ConfigMap, metadata: {name: old}}
/// ";
/// Row::new("it increments the counter and deletes the old map").given(MAPS).call(reconcile).await.expect("
/// outcome: Ok(2)
/// writes:
/// - patch configmaps default/counter: {data: {n: '2'}}
/// - delete configmaps default/old
/// ");
/// Row::new("without a counter it fails and writes nothing").call(reconcile).await.expect("
/// outcome: 'configmaps \"counter\" not found'
/// ");
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a row does nothing until it is run"]
pub struct Row {
    name: String,
    seed: Seed,
    faults: Vec<Fault>,
}

impl Row {
    /// Creates a row. Its name is a sentence about the expected behaviour.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), seed: Seed::default(), faults: Vec::new() }
    }

    /// Adds initial objects.
    pub fn given(mut self, objects: impl Into<Seed>) -> Self {
        self.seed = self.seed.and(objects);
        self
    }

    /// Adds a fault rule of the API server.
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Runs a function with a client.
    ///
    /// The outcome is the `Debug` output of the result, or the message of the error.
    ///
    /// # Panics
    /// Panics if the initial objects cannot be stored.
    pub async fn call<T: Debug, E: std::error::Error + 'static>(
        self,
        body: impl AsyncFnOnce(Client) -> Result<T, E>,
    ) -> Seen {
        let (name, cluster) = self.start().await;
        let outcome = match body(cluster.client()).await {
            Ok(value) => seen::Outcome::Success(format!("Ok({value:?})")),
            Err(error) => seen::Outcome::Failure(message(&error)),
        };
        Seen::of(name, &cluster, outcome)
    }

    async fn start(self) -> (String, Cluster) {
        let cluster = Cluster::start().await;
        let planted: Result<(), SeedError> = cluster.seed(self.seed).await;
        planted.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        for fault in self.faults {
            cluster.faults().add(fault);
        }
        (self.name, cluster)
    }
}

/// Returns the message of an error. For an error response of the server it is only the message of the Status.
fn message(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    let mut kube = chain.filter_map(|error| error.downcast_ref::<kube::Error>());
    let answer = kube.find_map(|error| match error {
        kube::Error::Api(status) => Some(status.message.clone()),
        _ => None,
    });
    answer.unwrap_or_else(|| error.to_string())
}
