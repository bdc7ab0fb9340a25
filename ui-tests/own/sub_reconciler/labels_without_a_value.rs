//! A watch by labels has a selector.
use evenkeel::prelude::*;
use k8s_openapi::api::core::v1::ConfigMap;
use ui_tests::*;

#[sub_reconciler(sets(on::SourceFetched), watches(ConfigMap, labels))]
async fn check(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), RepoError> {
    Ok(())
}

fn main() {
    let _ = std::any::type_name::<check>();
}
