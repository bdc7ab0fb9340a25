//! A route replies.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository) {
    let _ = Reply::empty();
}

fn main() {
    ui_tests::route::<artifact>();
}
