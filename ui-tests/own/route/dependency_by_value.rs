//! Requests share the dependencies.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository, _size: u8) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
