//! A step sends only calls that it declares: the bound of `cx.client()`.
use evenkeel::permission::{OwnCalls, SentBy};
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

fn client<S>(_: &mut Cx<'_, S>) where OwnCalls: SentBy<S> {}

#[sub_reconciler(sets(on::SourceFetched, on::ArtifactStored, on::ArtifactOutdated))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<String, RepoError> {
    client(cx);
    Ok(repo.spec.url.clone())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let _text: String = fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
