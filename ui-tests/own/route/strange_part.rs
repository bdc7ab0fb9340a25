//! A part has plain characters.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact/a b", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
