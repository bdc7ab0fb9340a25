//! The struct form: the dependencies of its steps are its fields.

use evenkeel::prelude::*;
use evenkeel::{Provides, Reconciler};
use k8s_openapi::api::core::v1::Secret;

use super::northstar::{Artifact, Commit, Git, GitRepository, RepoCondition, RepoError, on};

/// Keeps repositories, with the doc of the struct.
pub struct GitRepositories {
    git: Git,
    prefix: String,
}

#[reconciler(conditions = RepoCondition, requeue = spec.interval)]
impl GitRepositories {
    /// How many tags there may be.
    pub const TAGS: usize = 3;

    /// A method that is not a step stays unchanged.
    #[must_use]
    pub fn new(git: Git) -> Self {
        Self { git, prefix: "repo".into() }
    }

    pub async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        let commit = self.fetch(repo, cx).await?;
        self.store(repo, &commit, cx).await?;
        Ok(())
    }

    /// Fetches.
    #[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated), watches(Secret, by_name))]
    async fn fetch(&self, repo: &GitRepository, cx: &mut Cx) -> Result<Commit, RepoError> {
        let _ = &self.git;
        self.outdated(cx);
        if let Some(name) = &repo.spec.secret {
            cx.require::<Secret>(name).await?;
        }
        Ok(Commit(format!("{}-{}", self.prefix, repo.spec.url)))
    }

    #[sub_reconciler(sets(on::ArtifactStored), clears(on::ArtifactOutdated), external)]
    async fn store(&self, _repo: &GitRepository, commit: &Commit, cx: &mut Cx<'_, store>) -> Result<(), RepoError> {
        cx.status().artifact = Some(Artifact { revision: commit.0.clone() });
        Ok(())
    }

    #[cleanup(of = store)]
    async fn remove(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
        let _ = &self.git;
        Ok(())
    }

    /// A helper names the step by the path of its marker.
    fn outdated(&self, cx: &mut Cx<'_, git_repositories::fetch>) {
        cx.set(on::ArtifactOutdated, ConditionStatus::True, "NewRevision", &self.prefix);
    }
}

/// Another struct in the same module, with steps of the same names and with free steps.
pub struct Mirror {
    git: Git,
}

#[evenkeel::reconciler(conditions = RepoCondition, mod = mirrors)]
impl Mirror {
    async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
        let commit = self.fetch(repo, cx).await?;
        super::northstar::store(repo, &self.git, &commit, cx).await?;
        Ok(())
    }

    #[evenkeel::sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated))]
    async fn fetch(&self, repo: &GitRepository, cx: &mut Cx<'_, mirrors::fetch>) -> Result<Commit, RepoError> {
        let _ = (&self.git, cx.condition(on::ArtifactOutdated));
        Ok(Commit(repo.spec.url.clone()))
    }
}

/// The dependency of the cleanup of a free step.
impl Provides<Git> for Mirror {
    fn provide(mirror: &Self) -> &Git {
        &mirror.git
    }
}

/// A keyword as a name, inside a function, with a trait object.
#[test]
fn a_reconciler_struct_compiles_inside_a_function() {
    struct Match {
        text: Box<dyn Fn() -> String + Send + Sync>,
    }
    #[reconciler(conditions = RepoCondition)]
    impl Match {
        async fn reconcile(&self, repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
            let _text: String = self.all(repo, cx).await?;
            Ok(())
        }
        #[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated, on::ArtifactStored))]
        async fn all(&self, _repo: &GitRepository, _cx: &mut Cx) -> Result<String, RepoError> {
            Ok((self.text)())
        }
    }
    assert_eq!(Match::WIRING.name, "match");
    assert_eq!((Match { text: Box::new(String::new) }.text)(), "");
}

#[test]
fn structs_and_functions_have_the_same_wiring() {
    const WIRING: evenkeel::wiring::Wiring = <GitRepositories as Reconciler>::WIRING;
    assert_eq!(WIRING.name, "git_repositories");
    let names: Vec<_> = WIRING.steps.iter().map(|step| (step.name, step.doc)).collect();
    assert_eq!(names, [("fetch", "Fetches."), ("store", "")]);
    assert_eq!((WIRING.steps[0].sets, WIRING.steps[1].clears), (&[0, 1][..], &[1][..]));
    assert!(WIRING.steps[1].external && GitRepositories::TAGS == 3);
    let deps: <GitRepositories as Reconciler>::Deps = GitRepositories::new(Git);
    assert_eq!(deps.prefix, "repo");
}
