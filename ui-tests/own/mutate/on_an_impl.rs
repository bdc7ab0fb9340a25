//! The attribute belongs on a function.
use evenkeel::prelude::*;

struct Checks;

#[mutate]
impl Checks {}

fn main() {
    let _ = Checks;
}
