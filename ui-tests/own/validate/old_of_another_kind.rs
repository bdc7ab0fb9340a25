//! The former object is of the same kind.
use evenkeel::prelude::*;
use ui_tests::{Bucket, GitRepository};

#[validate]
fn check(_repo: &GitRepository, _old: Option<&Bucket>) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
