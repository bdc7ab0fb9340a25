//! Two reconcilers in one module, with steps of equal names in different modules; they share one step.

use evenkeel::prelude::*;

use super::northstar::{GitRepository, RepoError};

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub enum TwinCondition {
    #[condition(positive)]
    Made,
}

mod first {
    use super::{Cx, GitRepository, RepoError, on, sub_reconciler};

    #[sub_reconciler(sets(on::Made))]
    pub async fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
        Ok(())
    }
}

mod second {
    use super::{Cx, GitRepository, RepoError, on, sub_reconciler};

    #[sub_reconciler(sets(on::Made))]
    pub async fn make(_repo: &GitRepository, _cx: &mut Cx) -> Result<u8, RepoError> {
        Ok(0)
    }
}

#[reconciler(conditions = TwinCondition)]
pub async fn left(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    first::make(repo, cx).await?;
    Ok(())
}

#[reconciler(conditions = TwinCondition)]
pub async fn right(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let _: u8 = second::make(repo, cx).await?;
    Ok(())
}

#[reconciler(conditions = TwinCondition)]
async fn again(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    first::make(repo, cx).await?;
    Ok(())
}
