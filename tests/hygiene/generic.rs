//! Steps that several reconcilers share, generic over the kind.

use std::collections::BTreeMap;

use evenkeel::prelude::*;
use evenkeel::wiring::{How, Kind};
use evenkeel::{Primary, Reconciler};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::core::NamespaceResourceScope;

use super::northstar::{Git, GitRepository, RepoError};

#[derive(CustomResource, schemars::JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "source.evenkeel.dev", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {}

#[status]
pub struct BucketStatus {}

/// The requirements of a shared step on its objects; that they can be reconciled is implied.
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
    cx.set(on::ConfigReady, ConditionStatus::True, "Found", object.config().unwrap_or_default());
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
pub async fn repositories(repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> PassResult {
    let _config = ensure(repo, cx).await?;
    register::<GitRepository, 1>(repo, git, cx).await?;
    Ok(())
}

#[reconciler(conditions = ConfigCondition)]
pub async fn buckets(bucket: &Bucket, git: &Git, cx: &mut Pass<'_>) -> PassResult {
    let _config = ensure::<Bucket>(bucket, cx).await?;
    register::<Bucket, 2>(bucket, git, cx).await?;
    Ok(())
}

/// A helper is generic like the step.
async fn look<O: HasConfig + Primary>(cx: &mut Cx<'_, ensure<O>>) -> bool {
    cx.require::<ConfigMap>("config").await.is_ok()
}

#[derive(ConditionSet)]
#[condition_set(mod = kept)]
pub enum KeptCondition {
    #[condition(positive)]
    ConfigKept,
    #[condition(positive)]
    Copied,
}

/// An object of any scope may own namespaced objects.
#[sub_reconciler(
    sets(kept::ConfigKept),
    owns(ConfigMap, Secret),
    watches(Secret, by_name),
    polls(Node),
    reads(kept::Copied)
)]
pub async fn keep<O: HasConfig>(object: &O, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = (object.config(), cx.condition(kept::Copied).is_some(), cx.get::<Node>("one").await);
    let secret = cx.require::<Secret>("one").await.unwrap_or_default();
    let _ = (cx.apply(&secret).await, cx.apply(&ConfigMap::default()).await, cx.delete::<ConfigMap>("old").await);
    Ok(())
}

/// The kind is a parameter as well.
#[sub_reconciler(sets(kept::Copied), owns(K), watches(K, labels = "copy=yes"))]
pub async fn copy<O: HasConfig, K: Kind<Scope = NamespaceResourceScope>>(
    _object: &O,
    name: &str,
    cx: &mut Cx,
) -> Result<(), RepoError> {
    if let Ok(found) = cx.require::<K>(name).await {
        let _ = cx.apply(&found).await;
    }
    Ok(())
}

#[reconciler(conditions = KeptCondition)]
pub async fn keepers(bucket: &Bucket, cx: &mut Pass<'_>) -> PassResult {
    keep(bucket, cx).await?;
    copy::<Bucket, Secret>(bucket, "one", cx).await?;
    Ok(())
}

#[test]
fn a_shared_step_takes_its_kinds_from_the_call() {
    let kinds = |step: usize, how: How| -> Vec<String> {
        let relations = keepers::WIRING.steps[step].relations.iter().filter(|relation| relation.how == how);
        relations.filter_map(|relation| Some(relation.kind?().resource.kind.clone())).collect()
    };
    assert_eq!(kinds(0, How::Owns), ["ConfigMap", "Secret"]);
    assert_eq!(kinds(1, How::Owns), ["Secret"]);
    assert_eq!(kinds(1, How::WatchesLabels("copy=yes")), ["Secret"]);
}

#[test]
fn two_reconcilers_share_one_step() {
    let steps = [repositories::WIRING.steps, buckets::WIRING.steps];
    assert!(steps.iter().all(|steps| steps[0].name == "ensure" && steps[1].name == "register" && steps[1].external));
}
