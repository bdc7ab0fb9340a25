//! Rows that run a single step of a pipeline of evenkeel.

use std::fmt::Debug;

use evenkeel::Requeue;
use evenkeel::testing::{self, StepRun};
use evenkeel::{Class, Condition, Cx, ReconciledKind, SubReconciler};
use kube::api::{DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Api, Resource};
use serde_json::{Value, json};

use super::Row;
use super::seen::{Outcome, Seen};

/// The field manager of the step.
const MANAGER: &str = "tester";

impl Row {
    /// Runs one step for the only given object of its kind.
    ///
    /// The body receives the stored object and the context of the step:
    /// `async |widget, cx| fetch(widget, &lab, cx).await`.
    ///
    /// - The outcome is the `Debug` output of the result, or class, reason and message of the error:
    ///   `Waiting SecretMissing: ..`.
    /// - The conditions are those that the step set or cleared.
    /// - The section `status` contains the fields that the step changed but did not record. A step writes the status
    ///   only if it records.
    ///
    /// # Panics
    /// Panics if the objects cannot be stored, or if there is not exactly one object of the kind.
    pub async fn step<S, T>(mut self, body: impl AsyncFnOnce(&S::Object, &mut Cx<'_, S>) -> Result<T, S::Error>) -> Seen
    where
        S: SubReconciler<Object: ReconciledKind>,
        T: Debug,
    {
        self.seed = self.seed.and_definition::<S::Object>();
        let (name, cluster) = self.start().await;
        let api: Api<DynamicObject> = Api::all_with(cluster.client(), &ApiResource::erase::<S::Object>(&()));
        let listed = api.list(&ListParams::default()).await.map(|list| list.items).unwrap_or_default();
        let kind = S::Object::kind(&());
        let [object] = listed.as_slice() else {
            panic!("{name}: a step works on one {kind}, and {} are given", listed.len());
        };
        let typed = serde_json::to_value(object).and_then(serde_json::from_value::<S::Object>);
        let typed = typed.unwrap_or_else(|error| panic!("{name}: the {kind} does not fit its type: {error}"));
        let tried =
            testing::run_step::<S, T>(&typed, cluster.client(), MANAGER, async |cx| body(&typed, cx).await).await;
        let seen = Seen::of(name, &cluster, outcome(&tried));
        seen.with(tried.conditions.iter().map(shown).collect(), tried.fields.into_iter().collect())
    }
}

fn shown(condition: &Condition) -> (String, Value) {
    let text = format!("{:?} {}: {}", condition.status, condition.reason, condition.message);
    (condition.type_.clone(), json!(text.trim_end_matches([':', ' '])))
}

fn outcome<T: Debug>(tried: &StepRun<T>) -> Outcome {
    let again = match tried.requeue {
        None => String::new(),
        Some(Requeue::WithBackoff) => ", requeue".to_owned(),
        Some(Requeue::After(after)) => format!(", requeue after {after:?}"),
        Some(other) => format!(", requeue {other:?}"),
    };
    match &tried.value {
        Ok(value) if again.is_empty() => Outcome::Success(format!("Ok({value:?})")),
        Ok(value) => Outcome::Failure(format!("Ok({value:?}){again}")),
        Err(halt) => Outcome::Failure(format!("{} {}: {}{again}", class(halt.class()), halt.reason(), halt.message())),
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Stalled => "Stalled",
        Class::Waiting { .. } => "Waiting",
        Class::Ignored => "Ignored",
        // Transient and future classes, as in a pass.
        _ => "Failed",
    }
}
