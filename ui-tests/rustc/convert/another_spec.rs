//! The types are those of the two versions.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(old: OldSpec) -> GitRepositorySpec {
        GitRepositorySpec { url: old.url, interval: None }
    }
    fn down(new: ui_tests::BucketSpec) -> OldSpec {
        let ui_tests::BucketSpec {} = new;
        OldSpec { url: String::new() }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
