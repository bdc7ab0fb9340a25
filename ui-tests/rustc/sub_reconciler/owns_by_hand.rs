//! A kind is written where it is declared: by hand the role would not allow it.
use evenkeel::permission::OwnedBy;
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

impl OwnedBy<fetch> for ConfigMap {}

fn main() {
    let _ = std::any::type_name::<fetch>();
}
