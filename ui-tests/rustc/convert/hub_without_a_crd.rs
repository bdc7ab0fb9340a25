//! The stored version is a custom resource.
use evenkeel::prelude::*;
use ui_tests::{GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepositorySpec)]
impl Old {
    fn up(old: OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
