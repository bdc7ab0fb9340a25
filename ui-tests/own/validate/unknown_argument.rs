//! Arguments are those of the page.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[validate(read(GitRepository))]
fn check(_repo: &GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
