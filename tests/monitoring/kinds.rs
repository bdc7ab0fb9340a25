//! A kind whose objects say how its step ends, in two versions, and operators for it.

use std::time::Duration;

use evenkeel::Operator;
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of the operators.
pub const OPERATOR: &str = "task-operator";

/// How the step of the object ends.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[kube(group = "monitoring.evenkeel.dev", version = "v1", kind = "Task", namespaced, status = "TaskStatus")]
pub struct TaskSpec {
    /// The end of the step: `done`, `slow`, `waiting`, `invalid`, `broken` or `panic`.
    pub end: String,
}

/// An earlier version of the kind, whose field has another name.
pub mod v1beta1 {
    use super::*;

    /// How the step of the object ends.
    #[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
    #[kube(group = "monitoring.evenkeel.dev", version = "v1beta1", kind = "Task", namespaced, status = "TaskStatus")]
    pub struct TaskSpec {
        /// The end of the step.
        pub result: String,
    }

    #[convert(to = super::Task)]
    impl Task {
        fn up(old: TaskSpec) -> super::TaskSpec {
            assert!(old.result != "panic", "on purpose");
            super::TaskSpec { end: old.result }
        }

        fn down(new: super::TaskSpec) -> TaskSpec {
            TaskSpec { result: new.end }
        }
    }
}

#[status]
pub struct TaskStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum TaskCondition {
    /// The task is done.
    #[condition(positive)]
    Completed,
    /// The task is based on an old plan.
    #[condition(negative)]
    Outdated,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum TaskError {
    #[error("the task is not valid")]
    #[class(stalled)]
    Invalid,
    #[error("the task has to wait")]
    #[class(waiting(poll = "1m"))]
    NotYet,
    #[error("the task failed")]
    #[class(transient)]
    Broken,
}

#[sub_reconciler(sets(on::Completed, on::Outdated))]
pub async fn run(task: &Task, cx: &mut Cx<'_, run>) -> Result<(), TaskError> {
    match &*task.spec.end {
        "slow" => {
            tokio::time::sleep(Duration::from_secs(4)).await;
            cx.requeue_after(Duration::from_secs(5));
            Ok(())
        }
        // It blocks its thread, so no time limit ends it.
        "blocking" => {
            std::thread::sleep(Duration::from_secs(4));
            Ok(())
        }
        "waiting" => Err(TaskError::NotYet),
        "invalid" => Err(TaskError::Invalid),
        "broken" => Err(TaskError::Broken),
        "panic" => panic!("on purpose"),
        _ => Ok(()),
    }
}

#[reconciler(conditions = TaskCondition, timeout = "30s")]
pub async fn task(task: &Task, cx: &mut Pass<'_>) -> PassResult {
    run(task, cx).await?;
    Ok(())
}

/// The same with a short time limit.
pub mod short {
    use super::{Pass, PassResult, Task, TaskCondition, reconciler, run};

    #[reconciler(conditions = TaskCondition, timeout = "1s")]
    pub async fn task(task: &Task, cx: &mut Pass<'_>) -> PassResult {
        run(task, cx).await?;
        Ok(())
    }
}

/// The same with a time limit beyond the default one.
pub mod long {
    use super::{Pass, PassResult, Task, TaskCondition, reconciler, run};

    #[reconciler(conditions = TaskCondition, timeout = "20m")]
    pub async fn task(task: &Task, cx: &mut Pass<'_>) -> PassResult {
        run(task, cx).await?;
        Ok(())
    }
}

#[validate]
pub fn sensible(task: &Task) -> Result<(), Denial> {
    assert!(task.spec.end != "panic", "on purpose");
    Ok(())
}

/// A server with the kind.
pub async fn cluster() -> Cluster {
    serving(operator).await
}

/// A server with both versions of the kind.
pub async fn cluster_with_versions() -> Cluster {
    serving(webhooks).await
}

async fn serving(operator: fn(&Cluster) -> Operator) -> Cluster {
    let cluster = Cluster::start().await;
    cluster.seed(&operator(&cluster).definitions()[0]).await.unwrap();
    cluster
}

/// An operator for the kind.
pub fn operator(cluster: &Cluster) -> Operator {
    Operator::new(OPERATOR).test_client(cluster.client_of(OPERATOR)).reconciler::<task>(())
}

/// An operator that also reviews writes, and converts objects.
pub fn webhooks(cluster: &Cluster) -> Operator {
    operator(cluster).admission::<sensible>(()).serves::<v1beta1::Task>()
}

/// A task whose step ends so.
pub fn a_task(name: &str, end: &str) -> Task {
    let mut task = Task::new(name, TaskSpec { end: end.to_owned() });
    task.metadata.namespace = Some("default".to_owned());
    task
}

/// The same as a review or a conversion gets it.
pub fn raw(name: &str, version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("monitoring.evenkeel.dev/{version}"), "kind": "Task",
        "metadata": { "name": name, "namespace": "default", "uid": name }, "spec": spec,
    })
}
