//! A conversion has concrete types.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

struct Wrapper<T>(T);

#[convert(to = GitRepository)]
impl<T> Wrapper<T> {
    fn up(self) {}
}

fn main() {
    let _ = Wrapper(1);
}
