//! The attribute belongs on a function.
use evenkeel::prelude::*;

#[validate]
pub struct Checks;

fn main() {
    let _ = Checks;
}
