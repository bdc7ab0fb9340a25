//! A route returns a reply.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &GitRepository) -> String {
    String::new()
}

fn main() {
    ui_tests::route::<artifact>();
}
