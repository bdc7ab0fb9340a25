//! A route has one method.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, post, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
