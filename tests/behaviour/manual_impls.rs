//! Broken manual implementations of the traits: errors that the compiler cannot find are refused at the start.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::operator::{Error, Reason};
use evenkeel_tests::test_env::{Server, World};

/// The error that ends the operator.
async fn refusal(operator: Operator) -> Error {
    let ended = tokio::time::timeout(Duration::from_secs(60), operator.run_until(std::future::pending())).await;
    ended.expect("it ends by itself").unwrap_err()
}

mod written {
    use std::collections::BTreeMap;

    use evenkeel::prelude::*;
    use evenkeel::wiring::{StepWiring, Wiring};
    use evenkeel::{Condition, ObservedInputs, Reconciler, StatusContract};
    use evenkeel_tests::widget::{Widget, WidgetError};

    #[derive(kube::CustomResource, schemars::JsonSchema, Clone, Debug, serde::Deserialize, serde::Serialize)]
    #[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Sieve", namespaced, status = "SieveStatus")]
    pub(crate) struct SieveSpec {}

    #[derive(schemars::JsonSchema, Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
    #[serde(rename_all = "camelCase", default)]
    pub(crate) struct SieveStatus {
        observed_generation: Option<i64>,
        conditions: Vec<Condition>,
        last_handled_reconcile_at: Option<String>,
    }

    impl StatusContract for SieveStatus {
        type Draft = Self;
        fn observed_generation(&self) -> Option<i64> {
            self.observed_generation
        }
        fn conditions(&self) -> &[Condition] {
            &self.conditions
        }
        fn observed_inputs(&self) -> Option<&ObservedInputs> {
            None
        }
        fn last_handled_reconcile_at(&self) -> Option<&str> {
            None
        }
        fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>> {
            None
        }
    }

    #[derive(ConditionSet)]
    #[condition_set(mod = on)]
    pub(crate) enum Conditions {
        #[condition(positive)]
        Made,
    }

    #[sub_reconciler(sets(on::Made))]
    pub(crate) async fn make(_: &Sieve, _cx: &mut Cx) -> Result<(), WidgetError> {
        Ok(())
    }

    #[reconciler(conditions = Conditions)]
    pub(crate) async fn sieves(sieve: &Sieve, cx: &mut Pass<'_>) -> PassResult {
        make(sieve, cx).await?;
        Ok(())
    }

    /// A reconciler without a step that sets the condition.
    pub(crate) struct Idle;

    impl Reconciler for Idle {
        type Object = Widget;
        type Deps = ();
        type Conditions = Conditions;
        const WIRING: Wiring = Wiring {
            name: "idle",
            conditions: <Conditions as ConditionSet>::CONDITIONS,
            steps: &[StepWiring { name: "rest", ..StepWiring::EMPTY }],
            ..Wiring::EMPTY
        };
        async fn reconcile(_: &Widget, (): &(), _: &mut Pass<'_>) -> PassResult {
            Ok(())
        }
        async fn cleanup(_: &Widget, (): &(), _: &mut Pass<'_>) -> PassResult {
            Ok(())
        }
    }
}

#[tokio::test]
async fn a_broken_manual_impl_is_refused_at_the_start() {
    let world = World::on(Server::InProcess).await.unwrap();
    let operator = || Operator::new("tester").client(world.client.clone());
    let cases = [
        (
            operator().reconciler::<written::sieves>(()),
            "the status of Sieve, which sieves reconciles, does not preserve observedInputs, lastHandledReconcileAt",
        ),
        (
            operator().reconciler::<written::Idle>(()),
            "the wiring of idle is inconsistent: no step sets the condition Made",
        ),
    ];
    for (operator, headline) in cases {
        let error = refusal(operator).await;
        assert_eq!(error.to_string().lines().next(), Some(headline));
        assert_eq!(error.reason(), Reason::Setup);
    }
}
