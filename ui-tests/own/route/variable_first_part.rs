//! The first part names the subresource.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/{id}", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
