//! Setups with which an operator does not start.

use std::future::ready;

use evenkeel::prelude::*;
use evenkeel::{Operator, operator};
use evenkeel_testkit::Cluster;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Event as CoreEvent, Namespace, Node, Pod};
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use super::kinds::{Repo, Team, repo};

fn base() -> Operator {
    Operator::new("reviewer").reconciler::<repo>(())
}

/// The error with which the operator does not start. The service and the configurations fail with it, too.
async fn refused(operator: Operator) -> String {
    let error = operator.admission_service().expect_err("refused");
    assert_eq!(error.reason(), operator::Reason::Setup);
    let cluster = Cluster::start().await;
    let at_start = operator.client(cluster.client()).run_until(ready(())).await.expect_err("refused");
    assert_eq!(at_start.to_string(), error.to_string());
    error.to_string()
}

macro_rules! foreign {
    ($($name:ident $kind:ident)*) => {
        $(#[validate] fn $name(_: &$kind) -> Result<(), Denial> { Ok(()) })*
    };
}

foreign!(of_pods Pod of_nodes Node of_namespaces Namespace of_leases Lease of_events CoreEvent of_teams Team);

#[tokio::test]
async fn a_review_must_not_block_kinds_that_others_need() {
    let operators = [
        (base().admission::<of_pods>(()), "of_pods blocks all writes of Pod (v1)"),
        (base().admission::<of_nodes>(()), "of_nodes blocks all writes of Node (v1)"),
        (base().admission::<of_namespaces>(()), "of_namespaces blocks all writes of Namespace (v1)"),
        (base().admission::<of_leases>(()), "of_leases blocks all writes of Lease (coordination.k8s.io/v1)"),
        (base().admission::<of_events>(()), "of_events blocks all writes of Event (v1)"),
        (base().admission::<of_teams>(()), "of_teams blocks all writes of Team (tests.evenkeel.dev/v1)"),
    ];
    for (operator, wanted) in operators {
        let error = refused(operator).await;
        assert!(error.starts_with(wanted) && error.contains("`failure = \"ignore\"`"), "{error}");
    }
}

mod other {
    use super::*;

    #[validate]
    pub(crate) fn same(_: &Repo) -> Result<(), Denial> {
        Ok(())
    }
}

#[mutate]
fn same(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[tokio::test]
async fn two_functions_of_one_name_are_refused() {
    let error = refused(base().admission::<(same, other::same)>(())).await;
    assert!(error.starts_with("two functions that review writes are called same"), "{error}");
}

#[mutate(objects = "a=b", timeout = "20s")]
fn selected(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[mutate(objects = "a=b", timeout = "20s")]
fn slow(_: &mut Repo) -> Result<(), Denial> {
    Ok(())
}

#[tokio::test]
async fn mutating_functions_of_a_kind_must_agree() {
    let error = refused(base().admission::<(same, selected)>(())).await;
    assert!(error.starts_with("same and selected change Repo in one webhook, with different `objects`"), "{error}");
    let error = refused(base().admission::<(slow, selected)>(())).await;
    assert!(error.contains("40 s together"), "{error}");
}

/// A kind with a field that has another name on the wire.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Renamed", namespaced, status = "RenamedStatus")]
pub(crate) struct RenamedSpec {
    #[serde(rename = "kind")]
    sort: String,
}

#[status]
pub(crate) struct RenamedStatus {}

mod renamed {
    use evenkeel::prelude::*;

    use super::Renamed;
    use crate::admission::kinds::{RepoCondition, on};

    #[sub_reconciler(sets(on::Seen))]
    async fn look(_: &Renamed, _cx: &mut Cx) -> Result<(), ApiError> {
        Ok(())
    }

    #[reconciler(conditions = RepoCondition)]
    pub(crate) async fn renamed(object: &Renamed, cx: &mut Pass<'_>) -> PassResult {
        look(object, cx).await?;
        Ok(())
    }
}

#[validate]
fn misnamed(object: &Renamed, cx: &mut Review) -> Result<(), Denial> {
    if object.spec.sort.is_empty() {
        cx.deny(field!(spec.sort), "empty");
    }
    Ok(())
}

#[validate]
fn named(_: &Renamed, cx: &mut Review) -> Result<(), Denial> {
    cx.deny(field!(spec.sort as "kind"), "empty");
    cx.deny(field!(metadata.resource_version), "no");
    Ok(())
}

#[tokio::test]
async fn a_field_that_the_schema_does_not_have_is_refused() {
    let error = refused(base().reconciler::<renamed::renamed>(()).admission::<misnamed>(())).await;
    assert!(error.starts_with("`sort` of misnamed is not in the schema of Renamed at `spec`"), "{error}");
    assert!(error.contains("the schema has kind: write `field!(.. sort as \"..\")`"), "{error}");
    base().reconciler::<renamed::renamed>(()).admission::<named>(()).admission_service().unwrap();
}
