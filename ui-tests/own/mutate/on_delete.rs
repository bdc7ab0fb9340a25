//! What is being deleted cannot be changed.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[mutate(on(create, delete))]
fn check(_repo: &mut GitRepository) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
