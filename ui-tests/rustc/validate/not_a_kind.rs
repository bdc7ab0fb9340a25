//! A review is of a kind.
use evenkeel::prelude::*;

#[validate]
fn check(_repo: &String) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
