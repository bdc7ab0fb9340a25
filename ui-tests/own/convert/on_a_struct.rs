//! The attribute belongs on an `impl`.
use evenkeel::prelude::*;

#[convert(to = ui_tests::GitRepository)]
struct Old;

fn main() {
    let _ = Old;
}
