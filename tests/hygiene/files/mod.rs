//! One step per file: by path, re-exported, and with a separate marker if function and file share a name.

mod fetch;
mod pack;
mod store;

use evenkeel::prelude::*;
use fetch::fetch;

use crate::northstar::GitRepository;

#[derive(ConditionSet)]
#[condition_set(mod = on)]
pub(crate) enum FileCondition {
    #[condition(positive)]
    Fetched,
    #[condition(positive)]
    Packed,
    #[condition(positive)]
    Stored,
}

#[reconciler(conditions = FileCondition)]
pub(crate) async fn files(repo: &GitRepository, cx: &mut Pass<'_>) -> PassResult {
    let text: String = fetch(repo, cx).await?;
    let (name, _size) = pack::pack(repo, &text, cx).await?;
    store::store(repo, name, cx).await?;
    Ok(())
}
