//! Returns several values.

use evenkeel::prelude::*;

use super::on;
use crate::northstar::{GitRepository, RepoError};

type Packed<T> = Result<T, RepoError>;

#[sub_reconciler(sets(on::Packed))]
pub(super) async fn pack(_repo: &GitRepository, text: &str, _cx: &mut Cx) -> Packed<(String, usize)> {
    Ok((text.to_owned(), text.len()))
}
