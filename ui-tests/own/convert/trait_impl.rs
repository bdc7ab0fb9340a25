//! A conversion is no impl of a trait.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

struct Wrapper;

#[convert(to = GitRepository)]
impl Default for Wrapper {
    fn default() -> Self {
        Wrapper
    }
}

fn main() {
    let _ = Wrapper::default();
}
