//! The fault sweep: a scenario is run again and again, with trouble at another point each time, and must always end the same.

mod client;
mod external_state;
mod injection_point;
mod interceptor;
mod plan;
mod report;
mod trial;

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use serde::Serialize;

pub use external_state::{ExternalState, Refused};
pub use injection_point::{Crash, Disruption};
pub use report::{Report, Visit};
pub use trial::Trial;

use crate::diff::diff;
use crate::effect::Effect;
use crate::snapshot::Choice;
use injection_point::Plan;
use plan::Injection;

/// Runs a scenario with trouble at each of its points.
///
/// A point is an API call of the operator, a call to the [`ExternalState`], or an await of the operator's own future. The scenario runs
/// once without trouble, to find the points and the state in which it ends. Then it runs once for each point and each sort of
/// trouble: the call fails, is late or never answered, a watch is cut, or the operator is dropped there and started again, as when a pod
/// is killed. Each time it must end in the same state: what the [snapshot](crate::Snapshot) of the cluster shows, what the outside holds, and what the scenario returns.
///
/// It needs virtual time, `#[tokio::test(start_paused = true)]`: waiting costs nothing then, and all happens in the same order each
/// time, as far as operator and scenario are deterministic. The waits of the scenario should be long enough for a restart and some retries, such as ten minutes.
///
/// A reconciler of plain kube-rs goes through it like this; operators of evenkeel likewise, with
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
/// // As the operator's `kube::Config` has it: without, a call that is never answered injections kube's watches for ever.
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
    /// With [every effect](Effect::ALL) of a fault but [`Effect::Status`], a crash before and after each call, and a crash at each await.
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
            choice: Choice::default(),
        }
    }

    /// These sorts of trouble instead.
    #[must_use]
    pub fn disruptions(mut self, disruptions: impl IntoIterator<Item = Disruption>) -> Self {
        self.disruptions = disruptions.into_iter().collect();
        self
    }

    /// This sort of trouble, too.
    #[must_use]
    pub fn and(mut self, effect: Effect) -> Self {
        self.disruptions.push(Disruption::Fault(effect));
        self
    }

    /// How long the operator stays down after a crash; 30 s unless set. Longer than the pauses of the scenario shows what a user does
    /// while nobody watches.
    #[must_use]
    pub fn down(mut self, time: Duration) -> Self {
        self.down = time;
        self
    }

    /// How long the operator goes on after the scenario, before the states are compared; two minutes unless set.
    #[must_use]
    pub fn settle(mut self, time: Duration) -> Self {
        self.settle = time;
        self
    }

    /// How many times the scenario is run with trouble, about: spread evenly over all points, and at least once with each sort of trouble;
    /// 1000 unless set. The report says how many are left out. With `EVENKEEL_SWEEP=all` in the environment none is.
    #[must_use]
    pub fn limit(mut self, trials: usize) -> Self {
        self.limit = trials;
        self
    }

    /// How long the operator's client waits for an answer: the `read_timeout` of its [`kube::Config`]. Without, it waits for ever, as
    /// kube does unless that is set.
    #[must_use]
    pub fn read_timeout(mut self, time: Duration) -> Self {
        self.read_timeout = Some(time);
        self
    }

    /// Leaves a field out of the comparison, in every object: `status.observedInputs`.
    #[must_use]
    pub fn ignore(mut self, field: &str) -> Self {
        self.choice.ignored.push(field.to_owned());
        self
    }

    /// Leaves a resource out of the comparison, such as "secrets". Events and leases always are.
    #[must_use]
    pub fn without(mut self, plural: &str) -> Self {
        self.choice.hidden.push(plural.to_owned());
        self
    }

    /// Runs the scenario with all the trouble.
    ///
    /// # Panics
    /// When it fails or ends in different states without a disruption, and outside of virtual time.
    pub async fn run<T: Serialize>(self, scenario: impl AsyncFn(Trial) -> T) -> Report {
        assert!(is_paused(), "a sweep needs virtual time: use #[tokio::test(start_paused = true)]");
        let calm = self.end(&scenario, None).await;
        let state = calm.state.unwrap_or_else(|why| panic!("the scenario fails without a disruption: {why}"));
        let again = self.end(&scenario, None).await.state;
        if let Some(difference) = again.map_or_else(Some, |again| diff(&state, &again)) {
            panic!(
                "without a disruption the scenario ends differently each time; leave such fields out with `.ignore(..)`\n{difference}"
            );
        }
        let injections = plan::injections(&calm.points, calm.awaits, &self.disruptions);
        let all = injections.len();
        let injections = plan::spread(injections, self.limit);
        let mut report = Report::new(calm.points.len(), calm.awaits, all - injections.len(), self.disruptions.clone());
        for injection in injections {
            let (injection, outcome) = self.visit_reached(&scenario, injection, &state).await;
            report.add(injection, outcome);
        }
        report
    }

    /// Visits a point. A run may have fewer awaits than the first one had: the await is then replaced by an earlier one.
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

    /// Runs the scenario with one disruption. Returns whether it was injected, or how the end state differs.
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
            Err(panic) => Err(format!("the scenario fails: {}", injection_point::message(&*panic))),
            Ok(returned) => {
                tokio::time::sleep(self.settle).await;
                self.state(&trial, &returned)
            }
        };
        let end = End { state: trial.complaint().map_or(state, Err), points, awaits, injected: trial.was_injected() };
        trial.stop().await;
        end
    }

    /// All that has to be the same.
    fn state<T: Serialize>(&self, trial: &Trial, returned: &T) -> Result<String, String> {
        let snapshot = trial.cluster().snapshot().chosen(&self.choice);
        let returned = serde_saphyr::to_string(returned).map_err(|error| error.to_string())?;
        Ok(format!("{snapshot}--- external\n{}--- returned\n{returned}", trial.external().listing()))
    }
}

/// How a trial ended.
struct End {
    state: Result<String, String>,
    points: Vec<injection_point::Point>,
    awaits: usize,
    injected: bool,
}

/// Whether tokio's clock stands still while time passes.
fn is_paused() -> bool {
    let before = tokio::time::Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    before.elapsed().is_zero()
}
