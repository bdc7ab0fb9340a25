//! A watch is of one kind.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched), watches(ConfigMap, by_name, Secret))]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    let _: Option<(Secret, ConfigMap)> = None;
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
