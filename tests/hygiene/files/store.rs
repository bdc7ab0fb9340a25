//! Takes a value.

use evenkeel::prelude::*;

use super::on;
use crate::northstar::{GitRepository, RepoError};

#[sub_reconciler(sets(on::Stored))]
pub(super) async fn store(_repo: &GitRepository, _name: String, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}
