//! The proof that the RBAC rules of an operator are enough, and no more.

mod covers;
mod grant;
mod install;
mod trial;
mod verdict;

use std::future::Future;
use std::num::NonZeroU32;

use evenkeel::Operator;
use evenkeel::manifests::ManifestOptions;

use self::covers::is_used;
use self::grant::Grant;
use self::install::Installation;
pub use self::trial::Scene;
use self::trial::{Ending, Scenario, Weather, trial};
use self::verdict::{Exception, Verdict};

/// Proves that the roles that `manifests` prints are exactly what the operator needs.
///
/// The operator runs in a [`Cluster`](crate::Cluster) with RBAC, as the ServiceAccount of its manifests. Each scenario runs twice, with a restart
/// of the operator at its end: undisturbed, and with conflicts, by which the first patches and deletions of the operator fail. See [`Rights::prove`] for the rules.
///
/// ```
/// use std::time::Duration;
///
/// use evenkeel::prelude::*;
/// use evenkeel_testkit::{Scene, rights, until};
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kube::Api;
/// use kube::api::{DeleteParams, PostParams};
///
/// #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
/// #[kube(group = "example.com", version = "v1", kind = "Greeting", namespaced, status = "GreetingStatus")]
/// pub struct GreetingSpec {
///     pub name: String,
/// }
///
/// #[status]
/// pub struct GreetingStatus {}
///
/// #[derive(ConditionSet)]
/// #[condition_set(mod = on)]
/// pub enum GreetingCondition {
///     /// The greeting is in its ConfigMap.
///     #[condition(positive)]
///     Published,
/// }
///
/// #[sub_reconciler(sets(on::Published), owns(ConfigMap))]
/// async fn publish(greeting: &Greeting, cx: &mut Cx) -> Result<(), ApiError> {
///     let mut map = ConfigMap::default();
///     map.metadata.name = greeting.metadata.name.clone();
///     cx.apply(&map).await.map(drop)
/// }
///
/// #[reconciler(conditions = GreetingCondition)]
/// async fn greeting(greeting: &Greeting, cx: &mut Pass<'_>) -> PassResult {
///     publish(greeting, cx).await?;
///     Ok(())
/// }
///
/// async fn a_life(scene: Scene) {
///     let greetings: Api<Greeting> = Api::namespaced(scene.client(), "default");
///     greetings.create(&PostParams::default(), &Greeting::new("a", GreetingSpec { name: "you".into() })).await.unwrap();
///     let is_published = |map: &ConfigMap| map.metadata.owner_references.is_some();
///     until(&Api::namespaced(scene.client(), "default"), "a", Duration::from_secs(600), is_published).await;
///     greetings.delete("a", &DeleteParams::default()).await.unwrap();
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// // In a test with `#[tokio::test(start_paused = true)]`:
/// let operator = || Operator::new("greeter").reconciler::<greeting>(());
/// rights(operator)
///     .scenario("a life", a_life)
///     .except("patch greetings", "no object has a finalizer of an earlier version")
///     .prove()
///     .await;
/// # }
/// ```
pub fn rights(operator: impl Fn() -> Operator + 'static) -> Rights {
    Rights { operator: Box::new(operator), options: None, scenarios: Vec::new(), exceptions: Vec::new() }
}

/// The proof of the RBAC rules of an operator. [`rights`] begins it.
#[must_use = "nothing is proven without `prove`"]
pub struct Rights {
    operator: Box<dyn Fn() -> Operator>,
    options: Option<ManifestOptions>,
    scenarios: Vec<Scenario>,
    exceptions: Vec<Exception>,
}

impl Rights {
    /// Uses the manifests for these options. Default: one replica, in the namespace `operators`.
    ///
    /// If the manifests have a role for a lease, as for several replicas, two replicas run. After each scenario, the leader crashes and the
    /// other one takes over. Then that one stops, and a third one takes over.
    pub fn options(mut self, options: ManifestOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// Adds a scenario, which runs while the operator does. Its client may do everything.
    pub fn scenario<F>(mut self, name: &str, scenario: impl Fn(Scene) -> F + 'static) -> Self
    where
        F: Future<Output = ()> + 'static,
    {
        self.scenarios.push(Scenario { name: name.to_owned(), run: Box::new(move |scene| Box::pin(scenario(scene))) });
        self
    }

    /// Allows a rule that no scenario needs: the verb and the resource, such as `delete pods`, and the reason.
    pub fn except(mut self, rule: &str, reason: &str) -> Self {
        self.exceptions.push(Exception { rule: rule.to_owned(), reason: reason.to_owned() });
        self
    }

    /// Runs the proof. It needs virtual time: `#[tokio::test(start_paused = true)]`.
    ///
    /// - Enough: no request of the operator is forbidden in any scenario.
    /// - No more: a request uses each verb on each resource that a role grants, except where [`except`](Self::except) gives a reason.
    /// - Needed: each of them is taken out of the roles in turn. A request must then be forbidden, or the scenario must fail.
    ///
    /// # Panics
    /// One of the rules does not hold. The message lists the RBAC rules that are missing and those that are too many. An exception without
    /// effect, and a scenario that fails with all rules, are reported as well.
    pub async fn prove(self) {
        assert!(!self.scenarios.is_empty(), "add a scenario: `.scenario(\"a life\", a_life)`");
        let options = self.options.clone().unwrap_or_else(|| {
            let mut options = ManifestOptions::new("registry.example/operator:1", "operators");
            options.replicas = Some(NonZeroU32::MIN);
            options
        });
        let installation = Installation::of(&(self.operator)(), &options);
        let mut verdict = Verdict::new(&self.exceptions);
        let mut seen = Vec::new();
        for (scenario, weather) in self.runs() {
            let ran = trial(&*self.operator, &installation, scenario, None, weather).await;
            verdict.all_rules(scenario, &ran);
            seen.push(ran);
        }
        for grant in installation.grants() {
            let used = seen.iter().any(|ran| is_used(&grant, &ran.requests));
            let is_needed = used && self.is_needed(&installation, &grant).await;
            verdict.rule(&grant, used, is_needed);
        }
        verdict.conclude();
    }

    fn runs(&self) -> impl Iterator<Item = (&Scenario, Weather)> {
        self.scenarios.iter().flat_map(|scenario| Weather::ALL.map(|weather| (scenario, weather)))
    }

    /// Whether a scenario ends in another way without this rule.
    async fn is_needed(&self, installation: &Installation, grant: &Grant) -> bool {
        for (scenario, weather) in self.runs() {
            if trial(&*self.operator, installation, scenario, Some(grant), weather).await.ending != Ending::Complete {
                return true;
            }
        }
        false
    }
}
