//! A route does not change its object.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact(_repo: &mut GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
