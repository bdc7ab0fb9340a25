//! The functions are missing.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

ui_tests::old_version!();

#[convert(to = GitRepository)]
impl Old {
}

fn main() {
    let _ = ui_tests::serve::<Old>();
}
