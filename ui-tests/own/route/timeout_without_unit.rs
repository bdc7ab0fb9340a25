//! A time has a unit.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository, timeout = "10")]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
