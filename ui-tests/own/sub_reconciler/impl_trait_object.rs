//! A parameter of a generic step has a name.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoCondition, RepoError, on};

pub trait HasUrl {}
impl HasUrl for GitRepository {}

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &impl HasUrl, _cx: &mut Cx) -> Result<String, RepoError> {
    Ok(String::new())
}

#[reconciler(conditions = RepoCondition)]
async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let _text: String = fetch(repo, cx).await?;
    Ok(())
}

fn main() {
    ui_tests::run::<repository>();
}
