//! Owner references do not cross namespaces.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::Node;
use ui_tests::{GitRepository, RepoError, on};

#[sub_reconciler(sets(on::SourceFetched), owns(Node))]
async fn fetch(_repo: &GitRepository, cx: &mut Cx) -> Result<(), RepoError> {
    let _ = cx;
    Ok(())
}

fn main() {
    let _ = fetch;
}
