//! A namespaced object with a cluster-scoped child.

use evenkeel::dependents::{Dependents, DependentsError};
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Namespace;
use kube::ResourceExt;
use kube::api::ObjectMeta;

#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "cookbook.evenkeel.dev", version = "v1", kind = "Team", namespaced, status = "TeamStatus")]
pub struct TeamSpec {}

#[status(dependents)]
pub struct TeamStatus {}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum TeamCondition {
    /// The team has its namespace.
    #[condition(positive)]
    Provided,
}

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum TeamError {
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] DependentsError),
}

#[sub_reconciler(sets(on::Provided), dependents(Namespace))]
pub async fn provide(team: &Team, cx: &mut Cx) -> Result<Dependents, TeamError> {
    let name = Some(format!("team-{}", team.name_any()));
    let metadata = ObjectMeta { name, ..ObjectMeta::default() };
    let mut wanted = cx.wanted();
    wanted.add(&Namespace { metadata, ..Namespace::default() });
    Ok(cx.converge(wanted).await?)
}

#[reconciler(conditions = TeamCondition)]
pub async fn teams(team: &Team, cx: &mut Pass<'_>) -> PassResult {
    provide(team, cx).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use evenkeel_testkit::eventually;
    use kube::api::DeleteParams;
    use kube::{Api, CustomResourceExt};

    use super::*;
    use crate::world::World;

    const SOON: Duration = Duration::from_secs(60);
    const TEAM: &str = "{apiVersion: cookbook.evenkeel.dev/v1, kind: Team, metadata: {name: web}, spec: {}}";

    /// With `owns(Namespace)`, the step does not compile: a namespaced object cannot own a cluster-scoped one.
    #[tokio::test(start_paused = true)]
    async fn a_deleted_namespace_comes_back_until_its_team_is_deleted() {
        let world = World::with(&Team::crd()).await;
        world.cluster.seed(TEAM).await.unwrap();
        let _running = world.run(Operator::new("cookbook").reconciler::<teams>(()));
        let namespaces: Api<Namespace> = Api::all(world.cluster.client());
        let found = || async { namespaces.get_opt("team-web").await.unwrap() };
        let first = eventually(SOON, found).await;
        namespaces.delete("team-web", &DeleteParams::default()).await.unwrap();
        eventually(SOON, || async { found().await.filter(|second| second.uid() != first.uid()) }).await;
        world.delete::<Team>("web").await;
        world.is_gone::<Team>("web").await;
        assert!(found().await.is_none());
    }
}
