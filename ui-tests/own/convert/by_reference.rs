//! The spec is taken by value.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(old: &OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url.clone(), interval: None }
    }
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
