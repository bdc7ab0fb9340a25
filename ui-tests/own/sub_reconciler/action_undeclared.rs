//! An action is declared where it is asked for.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), polls(k8s_openapi::api::core::v1::Secret))]
async fn check(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _fires = cx.requested("force");
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
