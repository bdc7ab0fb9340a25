//! A rule is a function.
use evenkeel::prelude::*;

#[rule(of = ui_tests::GitRepository, at = spec)]
struct Judged;

fn main() {
    let _ = Judged;
}
