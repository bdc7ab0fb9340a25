//! A path exists in the stored version.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository, lossy(spec.tags))]
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
