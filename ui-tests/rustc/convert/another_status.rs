//! The status is that of the kind.
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
    fn up_status(_: u8) -> GitRepositoryStatus {
        GitRepositoryStatus::default()
    }
    fn down_status(_: GitRepositoryStatus) -> OldStatus {
        OldStatus {}
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
