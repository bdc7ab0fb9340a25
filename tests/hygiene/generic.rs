//! Steps that several reconcilers share, generic over the kind.

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use evenkeel::{Primary, Reconciler};
use k8s_openapi::api::core::v1::ConfigMap;

use super::northstar::{Git, GitRepository, RepoError};

#[derive(CustomResource, schemars::JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "source.evenkeel.dev", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {}

#[status]
pub struct BucketStatus {}

/// What a shared step asks of its objects; that they can be reconciled is understood.
pub trait HasConfig: Send + Sync {
    fn config(&self) -> Option<&str>;
}

impl HasConfig for GitRepository {
    fn config(&self) -> Option<&str> {
        Some(&self.spec.url)
    }
}

impl HasConfig for Bucket {
    fn config(&self) -> Option<&str> {
        None
    }
}

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum ConfigCondition {
    #[condition(positive)]
    ConfigReady,
    #[condition(positive)]
    Registered,
}

#[sub_reconciler(sets(on::ConfigReady), watches(ConfigMap, by_name))]
pub async fn ensure<O: HasConfig>(object: &O, cx: &mut Cx) -> Result<Option<BTreeMap<String, String>>, RepoError> {
    cx.set(on::ConfigReady, Status::True, "Found", object.config().unwrap_or_default());
    Ok(cx.get::<ConfigMap>("config").await.ok().flatten().and_then(|config| config.data))
}

#[sub_reconciler(sets(on::Registered), external, marker = Register)]
async fn register<O, const N: usize>(object: &O, git: &Git, cx: &mut Cx<'_, Register<O, N>>) -> Result<(), RepoError>
where
    O: HasConfig + Primary,
{
    let _ = (object.status().is_some(), git, cx.status());
    Ok(())
}

#[cleanup(of = Register)]
async fn forget<O, const N: usize>(object: &O, _git: &Git, _cx: &mut Cx) -> Result<(), RepoError>
where
    O: HasConfig + Primary,
{
    let _ = object.config();
    Ok(())
}

#[reconciler(conditions = ConfigCondition)]
pub async fn repositories(repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> Flow {
    let _config = ensure::<GitRepository>(repo, cx).await?;
    register::<GitRepository, 1>(repo, git, cx).await?;
    Ok(())
}

#[reconciler(conditions = ConfigCondition)]
pub async fn buckets(bucket: &Bucket, git: &Git, cx: &mut Pass<'_>) -> Flow {
    let _config = ensure::<Bucket>(bucket, cx).await?;
    register::<Bucket, 2>(bucket, git, cx).await?;
    Ok(())
}

/// A helper is generic as the step is.
async fn look<O: HasConfig + Primary>(cx: &mut Cx<'_, ensure<O>>) -> bool {
    cx.require::<ConfigMap>("config").await.is_ok()
}

#[test]
fn a_shared_step_is_the_same_step_of_both() {
    let steps = [repositories::WIRING.steps, buckets::WIRING.steps];
    assert!(steps.iter().all(|steps| steps[0].name == "ensure" && steps[1].name == "register" && steps[1].external));
}
