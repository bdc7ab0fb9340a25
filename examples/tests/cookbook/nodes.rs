//! A reconciler of a built-in kind.

use evenkeel::prelude::*;
use evenkeel::{Bare, EventLevel};
use k8s_openapi::api::core::v1::Node;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum NodeCondition {
    /// The node reports that it is ready.
    #[condition(positive)]
    Alive,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum NodeError {
    /// The kubelet does not report. Look at the machine.
    #[error("the kubelet does not report that the node is ready")]
    #[class(waiting(poll = "5m"), severity = "warning")]
    NotReady,
}

#[sub_reconciler(sets(on::Alive))]
pub async fn look(node: &Bare<Node>, cx: &mut Cx) -> Result<(), NodeError> {
    let conditions = node.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let is_ready = conditions.filter(|found| found.type_ == "Ready").any(|found| found.status == "True");
    if !is_ready {
        return Err(NodeError::NotReady);
    }
    cx.event(EventLevel::Normal, "Alive", "the node is ready");
    Ok(())
}

#[reconciler(conditions = NodeCondition, labels = "node-role.kubernetes.io/worker")]
pub async fn nodes(node: &Bare<Node>, cx: &mut Pass<'_>) -> PassResult {
    look(node, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use evenkeel_testkit::Row;

    use super::*;

    fn node(ready: &str, labels: &str) -> String {
        let status = format!("{{conditions: [{{type: Ready, status: '{ready}'}}]}}");
        format!("{{apiVersion: v1, kind: Node, metadata: {{name: worker-1, labels: {labels}}}, status: {status}}}")
    }

    /// A write to the node would be an unexpected write of the row.
    #[tokio::test(start_paused = true)]
    async fn a_node_gets_events_and_no_write() {
        let worker = "{node-role.kubernetes.io/worker: ''}";
        let row = Row::new("a node that is ready").given(node("True", worker));
        row.pass::<nodes>(()).await.expect("events: [Normal Alive, Normal Succeeded]");
        let row = Row::new("a node that is not ready").given(node("Unknown", worker));
        row.pass::<nodes>(()).await.expect("{outcome: Waiting, events: [Warning NotReady]}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_without_the_label_has_no_pass() {
        Row::new("a control plane").given(node("False", "{}")).pass::<nodes>(()).await.expect("outcome: Unchanged");
    }
}
