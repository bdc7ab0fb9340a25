//! A part in braces can be read.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact/{id}", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
