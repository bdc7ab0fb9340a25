//! The API server has these subresources itself.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/status", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
