//! The attribute belongs on an `impl`.
use evenkeel::prelude::*;

#[convert(to = ui_tests::GitRepository)]
fn up(old: u8) -> u8 {
    old
}

fn main() {
    let _ = up(1);
}
