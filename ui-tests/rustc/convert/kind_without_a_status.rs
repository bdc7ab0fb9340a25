//! A kind without a status has none to convert.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec, GitRepositoryStatus};

ui_tests::old_version!(without_status);

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
