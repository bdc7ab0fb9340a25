//! A function returns the other spec.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, GitRepositorySpec};

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
    fn up(_: OldSpec) {}
    fn down(new: GitRepositorySpec) -> OldSpec {
        OldSpec { url: new.url }
    }
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
