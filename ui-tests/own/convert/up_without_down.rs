//! Both directions are needed.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(old: OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
