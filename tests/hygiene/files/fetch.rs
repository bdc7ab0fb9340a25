//! A step with the name of its file that is imported: the marker is `Fetch`.

use evenkeel::prelude::*;

use super::on;
use crate::northstar::{GitRepository, RepoError};

#[sub_reconciler(sets(on::Fetched), marker = Fetch)]
pub(crate) async fn fetch(repo: &GitRepository, _cx: &mut Cx<'_, Fetch>) -> Result<String, RepoError> {
    Ok(repo.spec.url.clone())
}
