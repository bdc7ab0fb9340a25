//! The fault sweep: repeats a scenario with a disruption at each of its points, and compares the end states.

mod client;
mod external_state;
mod injection_point;
mod interceptor;
mod plan;
mod report;
mod sdk_calls;
mod trial;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use serde::Serialize;

pub use external_state::ExternalState;
pub use injection_point::{Crash, Disruption};
pub use report::{Report, Visit};
pub use sdk_calls::{Refused, SdkCalls};
pub use trial::Trial;

use crate::diff::diff;
use crate::effect::Effect;
use crate::snapshot::Choice;
use injection_point::Plan;
use plan::Injection;

/// Repeats a scenario with a disruption at each of its injection points.
///
/// An injection point is an API call of the operator, a call to the [`ExternalState`] or through [`SdkCalls`], or an await
/// of the operator's own future.
///
/// The scenario first runs without a disruption, to record the points and the end state. A second such run checks that
/// the end state is reproducible. Then the scenario runs once for each point and each [`Disruption`] that applies to it:
/// the call fails, is delayed or never returns, a watch is closed, or the operator is dropped and restarted, like a pod
/// that is killed.
///
/// Each run must reach the same end state. The end state consists of:
///
/// - the [snapshot](crate::Snapshot) of the cluster
/// - the content of the [`ExternalState`]
/// - the value that the scenario returns
///
/// A sweep requires virtual time, `#[tokio::test(start_paused = true)]`. Waiting then takes no real time, and everything
/// happens in the same order in each run if operator and scenario are deterministic. The timeouts of the scenario should
/// allow for a restart and some retries; ten minutes is a good value.
///
/// The example tests a reconciler of plain kube-rs. An operator of evenkeel is started with
/// `trial.operate(|client| operator().client(client).run_until(std::future::pending()))`.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use evenkeel_testkit::{Sweep, until};
/// use futures::StreamExt;
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::api::{Patch, PatchParams};
/// use kube::runtime::controller::Action;
/// use kube::runtime::{Controller, watcher};
/// use kube::{Api, Client, ResourceExt};
/// use serde_json::json;
///
/// /// Writes the length of `text` into each ConfigMap.
/// async fn reconcile(map: Arc<ConfigMap>, client: Arc<Client>) -> kube::Result<Action> {
///     let text = map.data.as_ref().and_then(|data| data.get("text")).map_or(0, String::len);
///     let patch = Patch::Merge(json!({"data": {"length": text.to_string()}}));
///     let maps: Api<ConfigMap> = Api::namespaced(Client::clone(&client), &map.namespace().unwrap());
///     maps.patch(&map.name_any(), &PatchParams::default(), &patch).await?;
///     Ok(Action::await_change())
/// }
///
/// async fn operator(client: Client) {
///     let maps: Api<ConfigMap> = Api::all(client.clone());
///     let again = |_: Arc<ConfigMap>, _: &kube::Error, _: Arc<Client>| Action::requeue(Duration::from_secs(5));
///     Controller::new(maps, watcher::Config::default()).run(reconcile, again, Arc::new(client)).for_each(async |_| {}).await;
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// // The same value as in the operator's `kube::Config`. Without it, a call that never returns blocks a watch for ever.
/// let sweep = Sweep::new().read_timeout(Duration::from_secs(60));
/// let report = sweep.run(async |trial| {
///     trial.cluster().seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {text: hello}}").await.unwrap();
///     trial.operate(operator);
///     let maps: Api<ConfigMap> = Api::default_namespaced(trial.client());
///     until(&maps, "a", Duration::from_secs(600), |map| map.data.as_ref().unwrap().contains_key("length")).await;
/// });
/// report.await.assert_converged();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    disruptions: Vec<Disruption>,
    down: Duration,
    settle: Duration,
    limit: usize,
    read_timeout: Option<Duration>,
    choice: Choice,
}

impl Default for Sweep {
    fn default() -> Self {
        Self::new()
    }
}

impl Sweep {
    /// Creates a sweep with all disruptions.
    ///
    /// They are each [`Effect`] in [`Effect::ALL`] except [`Effect::Status`], and each [`Crash`].
    #[must_use]
    pub fn new() -> Self {
        let faults = Effect::ALL.iter().filter(|effect| !matches!(effect, Effect::Status(_)));
        let faults = faults.cloned().map(Disruption::Fault);
        let crashes = [Crash::Before, Crash::After, Crash::Await].map(Disruption::Crash);
        Self {
            disruptions: faults.chain(crashes).collect(),
            down: Duration::from_secs(30),
            settle: Duration::from_secs(120),
            limit: 1000,
            read_timeout: None,
            // The same content has the same digest, whatever happened before.
            choice: Choice { digests: true, ..Choice::default() },
        }
    }

    /// Replaces the default disruptions.
    #[must_use]
    pub fn disruptions(mut self, disruptions: impl IntoIterator<Item = Disruption>) -> Self {
        self.disruptions = disruptions.into_iter().collect();
        self
    }

    /// Adds a fault to the disruptions.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.disruptions.push(Disruption::Fault(effect));
        self
    }

    /// Sets how long the operator stays down after a crash; 30 s by default.
    ///
    /// If this is longer than the pauses of the scenario, the operator misses the changes that the scenario makes
    /// meanwhile.
    #[must_use]
    pub fn down(mut self, time: Duration) -> Self {
        self.down = time;
        self
    }

    /// Sets how long the operator runs after the scenario; two minutes by default.
    ///
    /// The end states are compared after this time.
    #[must_use]
    pub fn settle(mut self, time: Duration) -> Self {
        self.settle = time;
        self
    }

    /// Limits the number of runs with a disruption; 1000 by default.
    ///
    /// The limit is approximate: each disruption has at least one run. The runs are spread evenly over all points. The
    /// report contains the number of excluded runs. With `EVENKEEL_SWEEP=all` in the environment, no run is excluded.
    #[must_use]
    pub fn limit(mut self, trials: usize) -> Self {
        self.limit = trials;
        self
    }

    /// Sets the read timeout of the operator's client; none by default.
    ///
    /// It corresponds to `read_timeout` in [`kube::Config`]. Without it, a call that is never answered never returns.
    #[must_use]
    pub fn read_timeout(mut self, time: Duration) -> Self {
        self.read_timeout = Some(time);
        self
    }

    /// Excludes a field from the comparison, such as `status.observedInputs`.
    #[must_use]
    pub fn ignore(mut self, field: &str) -> Self {
        self.choice.ignored.push(field.to_owned());
        self
    }

    /// Excludes a resource from the comparison, such as "secrets".
    ///
    /// CRDs, Events and Leases are always excluded.
    #[must_use]
    pub fn without(mut self, plural: &str) -> Self {
        self.choice.hidden.push(plural.to_owned());
        self
    }

    /// Runs the scenario with each disruption at each point.
    ///
    /// # Panics
    /// Panics if the clock is not paused. Panics if the scenario fails, or ends in different states, without a
    /// disruption.
    pub async fn run<T: Serialize>(self, scenario: impl AsyncFn(Trial) -> T) -> Report {
        assert!(is_paused(), "a sweep needs virtual time: use #[tokio::test(start_paused = true)]");
        let baseline = self.end(&scenario, None).await;
        let state = baseline.state.unwrap_or_else(|why| panic!("without a disruption: {why}"));
        let again = self.end(&scenario, None).await.state;
        if let Some(difference) = again.map_or_else(Some, |again| diff(&state, &again)) {
            panic!(
                "two runs without a disruption end differently; exclude volatile fields with `.ignore(..)`\n{difference}"
            );
        }
        let injections = plan::injections(&baseline.points, baseline.awaits, &self.disruptions);
        let all = injections.len();
        let injections = plan::spread(injections, self.limit);
        let excluded = all - injections.len();
        let mut report = Report::new(baseline.points.len(), baseline.awaits, excluded, self.disruptions.clone());
        for injection in injections {
            let (injection, outcome) = self.visit_reached(&scenario, injection, &state).await;
            report.add(injection, outcome);
        }
        report
    }

    /// Runs the scenario with one disruption, if necessary at an earlier point.
    ///
    /// A run may have fewer awaits and fewer equal calls than the first run had. One that it does not reach is replaced by an earlier one.
    async fn visit_reached<T: Serialize>(
        &self,
        scenario: &impl AsyncFn(Trial) -> T,
        mut injection: Injection,
        wanted: &str,
    ) -> (Injection, Result<bool, String>) {
        loop {
            let outcome = self.visit(scenario, injection.plan.clone(), wanted).await;
            match (&outcome, injection.earlier()) {
                (Ok(false), Some(earlier)) => injection = earlier,
                _ => return (injection, outcome),
            }
        }
    }

    /// Runs the scenario with one disruption. Returns whether it was injected, or why the run failed.
    async fn visit<T: Serialize>(
        &self,
        scenario: &impl AsyncFn(Trial) -> T,
        plan: Plan,
        wanted: &str,
    ) -> Result<bool, String> {
        let end = self.end(scenario, Some(plan)).await;
        match diff(wanted, &end.state?) {
            None => Ok(end.injected),
            Some(difference) => {
                Err(format!("the end state differs: - without the disruption, + with it\n{difference}"))
            }
        }
    }

    async fn end<T: Serialize>(&self, scenario: &impl AsyncFn(Trial) -> T, plan: Option<Plan>) -> End {
        let trial = Trial::start(plan, self.down, self.read_timeout).await;
        let returned = AssertUnwindSafe(scenario(trial.clone())).catch_unwind().await;
        let (points, awaits) = trial.visited();
        let state = match returned {
            Err(panic) => Err(format!("the scenario failed: {}", injection_point::message(&*panic))),
            Ok(returned) => {
                tokio::time::sleep(self.settle).await;
                self.state(&trial, &returned)
            }
        };
        let end = End { state: trial.failure().map_or(state, Err), points, awaits, injected: trial.was_injected() };
        trial.stop().await;
        end
    }

    /// Returns the end state, which must be the same in all trials.
    fn state<T: Serialize>(&self, trial: &Trial, returned: &T) -> Result<String, String> {
        let snapshot = trial.cluster().snapshot().chosen(&self.choice);
        let returned = serde_saphyr::to_string(returned).map_err(|error| error.to_string())?;
        Ok(format!("{snapshot}--- external\n{}--- returned\n{returned}", trial.external().listing()))
    }
}

/// The result of one run.
struct End {
    state: Result<String, String>,
    points: Vec<injection_point::Point>,
    awaits: usize,
    injected: bool,
}

/// Returns whether tokio's clock is paused.
fn is_paused() -> bool {
    let before = tokio::time::Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    before.elapsed().is_zero()
}
