//! A route has one path.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", "/archive", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
