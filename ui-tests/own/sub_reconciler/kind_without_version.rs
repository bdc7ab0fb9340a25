use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on, run};

#[sub_reconciler(sets(on::SourceFetched), dependents(kinds("Deployment")))]
async fn install(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    install(repo, cx).await?;
    Ok(())
}

fn main() {
    run::<repository>();
}
