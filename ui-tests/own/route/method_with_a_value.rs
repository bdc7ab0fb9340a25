//! The method is a word.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get = "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
