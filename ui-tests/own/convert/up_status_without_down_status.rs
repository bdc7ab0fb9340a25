//! Both directions of the status are needed.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec, GitRepositoryStatus};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(old: OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
    fn up_status(_: OldStatus) -> GitRepositoryStatus {
        GitRepositoryStatus::default()
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
