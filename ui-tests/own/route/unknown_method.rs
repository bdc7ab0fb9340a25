//! The method is one of five.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(head, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
