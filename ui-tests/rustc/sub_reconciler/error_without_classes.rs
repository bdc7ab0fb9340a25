//! The framework must know what to do about an error.
use evenkeel::prelude::*;
use ui_tests::{GitRepository, on};

#[sub_reconciler(sets(on::SourceFetched))]
async fn fetch(_repo: &GitRepository, _cx: &mut Cx) -> Result<(), std::io::Error> {
    Ok(())
}

fn main() {
    let _ = fetch;
}
