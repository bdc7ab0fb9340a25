//! Roles of a set that grant what the operator may not do itself.

use evenkeel::Operator;
use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::role::Role as OperatorRole;
use evenkeel_tests::test_env::{Running, World};
use evenkeel_tests::widget::{condition, is_ready, message};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::{Client, Config, CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shop::named;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "tests.evenkeel.dev", version = "v1", kind = "Guild", namespaced, status = "GuildStatus")]
pub(crate) struct GuildSpec {}

#[status(dependents)]
pub(crate) struct GuildStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum GuildCondition {
    /// All objects are as wanted, and ready.
    #[condition(positive)]
    Applied,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub(crate) enum GuildError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

fn role() -> Role {
    named("member", &json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["delete"] }] }))
}

#[sub_reconciler(sets(on::Applied), dependents(Role))]
async fn charter(_: &Guild, cx: &mut Cx) -> Result<Dependents, GuildError> {
    let mut wanted = cx.wanted();
    wanted.add(&role());
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = GuildCondition)]
pub(crate) async fn plain(guild: &Guild, cx: &mut Pass<'_>) -> PassResult {
    charter(guild, cx).await?;
    Ok(())
}

#[sub_reconciler(sets(on::Applied), dependents(Role, RoleBinding, rights(escalate)))]
async fn grant(_: &Guild, cx: &mut Cx) -> Result<Dependents, GuildError> {
    let mut wanted = cx.wanted();
    wanted.add(&role());
    let (group, subject) =
        ("rbac.authorization.k8s.io", json!({ "kind": "ServiceAccount", "name": "a", "namespace": "b" }));
    let binding = json!({ "roleRef": { "apiGroup": group, "kind": "Role", "name": "member" }, "subjects": [subject] });
    wanted.add::<RoleBinding>(&named("member", &binding));
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = GuildCondition)]
pub(crate) async fn granting(guild: &Guild, cx: &mut Pass<'_>) -> PassResult {
    grant(guild, cx).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_may_grant_more_than_the_operator_has_only_by_a_word_of_the_author() {
    let cluster = Cluster::builder().rbac().bearer("token", "operator").start().await;
    let served = cluster.serve().await.unwrap();
    let world = World::beside(cluster).await;
    world.install(&Guild::crd()).await;
    let operator = || {
        let mut config = Config::new(served.url().parse().unwrap());
        config.auth_info.token = Some("token".to_owned().into());
        config.default_retry = false;
        Operator::new("tester").client(Client::try_from(config).unwrap()).namespaces([&*world.namespace])
    };
    // It has the rights that it says it needs, and no others.
    let of_operator = OperatorRole { admin: world.client.clone(), name: "operator".into() };
    of_operator.allow(&operator().reconciler::<plain>(()), &[].into()).await;
    let running = Running::start(operator().reconciler::<plain>(()));
    world
        .create::<Guild>(json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Guild", "metadata": { "name": "a" },
            "spec": {} }))
        .await;
    let is_refused =
        |guild: &Value| condition(guild, "Applied").is_some_and(|applied| applied["reason"] == "Forbidden");
    let guild = world.until::<Guild>("a", "refused", is_refused).await;
    let cure = "write `rights(escalate)` in the `dependents(..)` of the step and apply what `rbac` prints";
    assert!(message(&guild, "Applied").contains(cure), "{guild}");
    running.stop().await.unwrap();
    let granting = operator().reconciler::<granting>(());
    let rules = granting.rbac_rules().into_iter().filter(|rule| rule.group == "rbac.authorization.k8s.io");
    let verbs = |rule: &evenkeel::introspection::RbacRule| {
        let verbs = rule.verbs.iter().map(|verb| verb.as_str()).collect::<Vec<_>>().join(",");
        format!("{} {verbs}", rule.resource)
    };
    assert_eq!(
        rules.map(|rule| verbs(&rule)).collect::<Vec<_>>(),
        [
            "clusterroles bind",
            "rolebindings get,list,watch,create,patch,delete",
            "roles get,list,watch,create,patch,delete,bind,escalate"
        ]
    );
    of_operator.allow(&granting, &[].into()).await;
    let running = Running::start(granting);
    world.until::<Guild>("a", "ready", is_ready).await;
    running.stop().await.unwrap();
}
