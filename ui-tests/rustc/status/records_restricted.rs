//! A restricted field is written through `cx.write`, also before a side effect.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    *cx.status().archive = Some(repo.spec.url.clone());
    cx.commit().await?;
    Ok(())
}

fn main() {
    let _ = fetch;
}
