//! One step of a pipeline of evenkeel as a row.

use std::fmt::Debug;

use evenkeel::Requeue;
use evenkeel::testing::{self, StepRun};
use evenkeel::{Class, Condition, Cx, SubReconciler};
use kube::api::{DynamicObject, ListParams};
use kube::core::ApiResource;
use kube::{Api, CustomResourceExt, Resource};
use serde_json::{Value, json};

use super::Row;
use super::seen::{Outcome, Seen};

/// The field manager of the step.
const MANAGER: &str = "tester";

impl Row {
    /// Runs one step for the given object of its kind; there must be just one. The body gets the object as the server holds it, and
    /// the context of the step: `async |widget, cx| fetch(widget, &lab, cx).await`.
    ///
    /// The outcome is what it returns, in `Debug` form, or class, reason and message of its error: `Waiting SecretMissing: ..`. Conditions
    /// are those that the step sets or clears, as it left them; the section `status` has the fields that it changed and
    /// did not record. The step writes no status itself, unless it records.
    ///
    /// # Panics
    /// The objects cannot be stored, or there is not one of the kind.
    pub async fn step<S, T>(mut self, body: impl AsyncFnOnce(&S::Object, &mut Cx<'_, S>) -> Result<T, S::Error>) -> Seen
    where
        S: SubReconciler<Object: CustomResourceExt>,
        T: Debug,
    {
        self.seed = self.seed.and(&S::Object::crd());
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
        seen.with(tried.conditions.iter().map(said).collect(), tried.fields.into_iter().collect())
    }
}

fn said(condition: &Condition) -> (String, Value) {
    let says = format!("{:?} {}: {}", condition.status, condition.reason, condition.message);
    (condition.type_.clone(), json!(says.trim_end_matches([':', ' '])))
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
        // Transient, and what may be added: as a pass treats it.
        _ => "Failed",
    }
}
