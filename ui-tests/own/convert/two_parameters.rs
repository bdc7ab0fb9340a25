//! A conversion depends on the spec only.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(old: OldSpec, _: u8) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
