//! What the cases share: kinds, conditions, errors and steps that are right.

use evenkeel::prelude::*;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A namespaced kind with a status.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "GitRepository", namespaced, status = "GitRepositoryStatus")]
pub struct GitRepositorySpec {
    /// Where it is.
    pub url: String,
    /// How often to look.
    pub interval: Option<Interval>,
}

/// Its status.
#[status]
pub struct GitRepositoryStatus {
    /// What is in storage.
    pub revision: Option<String>,
    /// Where it is in storage.
    #[status(step = store)]
    pub archive: Option<String>,
}

/// Another kind.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Bucket", namespaced, status = "BucketStatus")]
pub struct BucketSpec {}

/// Its status.
#[status]
pub struct BucketStatus {}

/// A kind whose status has a field for dependents.
#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1", kind = "Shop", namespaced, status = "ShopStatus")]
pub struct ShopSpec {}

/// Its status.
#[status(dependents)]
pub struct ShopStatus {}

/// A condition set.
#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum RepoCondition {
    /// The remote was fetched.
    #[condition(positive)]
    SourceFetched,
    /// A newer revision exists than the stored one.
    #[condition(negative)]
    ArtifactOutdated,
    /// The artifact is in storage.
    #[condition(positive)]
    ArtifactStored,
}

/// A condition set of one condition.
#[derive(ConditionSet)]
#[condition_set(mod = bucket)]
pub enum BucketCondition {
    /// The bucket is there.
    #[condition(positive)]
    BucketMade,
}

/// An error with classes.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum RepoError {
    /// A person must help.
    #[error("the URL is not valid")]
    #[class(stalled)]
    InvalidUrl,
    /// Worth another try.
    #[error(transparent)]
    #[class(transient)]
    Api(#[from] evenkeel::ApiError),
}

/// The error of a step with dependents.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum KeepError {
    /// An object is not as it should be.
    #[error(transparent)]
    #[class(transparent)]
    Dependents(#[from] evenkeel::dependents::DependentsError),
}

/// A dependency.
#[derive(Clone, Copy, Debug)]
pub struct Git;

/// What is handed on.
#[derive(Clone, Debug)]
pub struct Commit(pub String);

/// A step that hands on a commit.
#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated))]
pub async fn fetch(repo: &GitRepository, _cx: &mut Cx) -> Result<Commit, RepoError> {
    Ok(Commit(repo.spec.url.clone()))
}

/// A step that takes it.
#[sub_reconciler(sets(on::ArtifactStored))]
pub async fn store(_repo: &GitRepository, commit: &Commit, cx: &mut Cx) -> Result<(), RepoError> {
    cx.status().revision = Some(commit.0.clone());
    Ok(())
}

/// A step for the other kind, with its conditions.
#[sub_reconciler(sets(bucket::BucketMade))]
pub async fn make_bucket(_bucket: &Bucket, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

/// Proves that a reconciler can be used.
pub fn run<R: evenkeel::Reconciler>() -> usize {
    R::WIRING.steps.len()
}

/// Proves that a watcher can be used.
pub fn watch<W: evenkeel::Watcher>() -> usize {
    run::<W>()
}

/// Proves that a function is a route.
pub fn route<F: evenkeel::routes::RouteFunction>() -> usize {
    F::WIRING.path.len()
}

/// Proves that a function reviews writes.
pub fn review<F: evenkeel::AdmissionFunction>() -> usize {
    F::WIRING.relations.len()
}

/// Proves that rules can be registered.
pub fn enforce<R: evenkeel::rules::Rules>() {}

/// Secrets by user.
#[derive(Debug)]
pub struct ByUser;

impl evenkeel::Index for ByUser {
    const NAME: &'static str = "by-user";
    type Object = k8s_openapi::api::core::v1::Secret;

    fn keys(secret: &Self::Object) -> Vec<String> {
        secret.type_.iter().cloned().collect()
    }
}

/// Defines an older version of [`GitRepository`]: `Old`, with `OldSpec` and `OldStatus`.
#[macro_export]
macro_rules! old_version {
    () => {
        $crate::old_version!(@ status = "OldStatus");
    };
    (without_status) => {
        $crate::old_version!(@);
    };
    (@ $($status:tt)*) => {
        #[derive(
            ::kube::CustomResource,
            ::schemars::JsonSchema,
            Clone,
            Debug,
            Default,
            ::serde::Deserialize,
            ::serde::Serialize,
        )]
        #[kube(
            group = "ui.evenkeel.dev",
            version = "v1beta1",
            kind = "Old",
            plural = "gitrepositories",
            namespaced,
            $($status)*
        )]
        pub struct OldSpec {
            pub url: String,
        }

        #[derive(::schemars::JsonSchema, Clone, Debug, Default, ::serde::Deserialize, ::serde::Serialize)]
        pub struct OldStatus {}
    };
}

/// Proves that a version can be served.
#[must_use]
pub fn serve<S: evenkeel::conversion::Spoke>() -> bool {
    S::CONVERSION.stash.is_some()
}
