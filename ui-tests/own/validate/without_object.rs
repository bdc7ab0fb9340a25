//! The object comes first.
use evenkeel::prelude::*;

#[validate]
fn check(_cx: &mut Review) -> Result<(), Denial> {
    Ok(())
}

fn main() {
    ui_tests::review::<check>();
}
