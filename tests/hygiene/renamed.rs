//! With the runtime under another path.

/// A crate that re-exports the runtime.
pub mod vendor {
    pub use evenkeel as keel;
}

use vendor::keel::{self, Absent, Cx, Pass, PassResult};

use super::northstar::{Git, GitRepository};

#[keel::status(crate = crate::renamed::vendor::keel)]
pub struct RenamedStatus {}

#[derive(keel::ConditionSet)]
#[condition_set(mod = on, crate = crate::renamed::vendor::keel)]
pub enum RenamedCondition {
    #[condition(positive)]
    Allowed,
    #[condition(positive)]
    Made,
}

#[derive(Debug, thiserror::Error, keel::ReconcileError)]
#[reconcile_error(crate = crate::renamed::vendor::keel)]
pub enum RenamedError {
    #[error(transparent)]
    #[class(waiting)]
    Absent(#[from] Absent<k8s_openapi::api::core::v1::ConfigMap>),
}

#[keel::sub_reconciler(sets(on::Made), external, crate = crate::renamed::vendor::keel)]
pub async fn make(_repo: &GitRepository, _git: &Git, _cx: &mut Cx) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::cleanup(of = make, crate = crate::renamed::vendor::keel)]
pub async fn unmake(_repo: &GitRepository, _git: &Git, _cx: &mut Cx) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::precondition(sets(on::Allowed), crate = crate::renamed::vendor::keel)]
pub async fn allowed(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::hook(read, crate = crate::renamed::vendor::keel)]
pub async fn seen(_repo: &GitRepository, _git: &Git) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::daemon(crate = crate::renamed::vendor::keel)]
pub async fn follow(_repo: &GitRepository, _git: &Git, _daemon: &keel::Daemon) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::claim(crate = crate::renamed::vendor::keel)]
pub async fn take(_repo: &mut GitRepository) -> Result<(), RenamedError> {
    Ok(())
}

#[keel::reconciler(conditions = RenamedCondition, claim = take, hooks(seen), daemons(follow), crate = crate::renamed::vendor::keel)]
pub async fn renamed(repo: &GitRepository, git: &Git, cx: &mut Pass<'_>) -> PassResult {
    allowed(repo, cx).await?;
    make(repo, git, cx).await?;
    Ok(())
}

pub struct RenamedStruct {
    git: Git,
}

#[keel::reconciler(conditions = RenamedCondition, crate = crate::renamed::vendor::keel)]
impl RenamedStruct {
    pub async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        self.allowed(repo, cx).await?;
        self.make(repo, cx).await?;
        Ok(())
    }

    #[keel::precondition(sets(on::Allowed))]
    async fn allowed(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RenamedError> {
        Ok(())
    }

    #[keel::hook(before_steps)]
    async fn begun(&self, _repo: &GitRepository) -> Result<(), RenamedError> {
        Ok(())
    }

    #[keel::daemon]
    async fn follow(&self, _repo: &GitRepository, _daemon: &keel::Daemon) -> Result<(), RenamedError> {
        Ok(())
    }

    #[keel::sub_reconciler(sets(on::Made), external)]
    async fn make(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RenamedError> {
        let _ = &self.git;
        Ok(())
    }

    #[keel::cleanup(of = make)]
    async fn unmake(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RenamedError> {
        Ok(())
    }
}
