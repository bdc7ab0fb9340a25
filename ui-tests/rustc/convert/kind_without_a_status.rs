//! A kind without a status has none to convert.
use evenkeel::prelude::*;
use schemars::JsonSchema;
use ui_tests::{GitRepository, GitRepositorySpec, GitRepositoryStatus};

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "ui.evenkeel.dev", version = "v1beta1", kind = "Old", namespaced)]
pub struct OldSpec {
    pub url: String,
}

#[convert(to = GitRepository)]
impl Old {
    fn up(old: OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
    fn up_status(_: u8) -> GitRepositoryStatus {
        GitRepositoryStatus::default()
    }
    fn down_status(_: GitRepositoryStatus) -> u8 {
        0
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
