//! A route has a path.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
