//! A route names its kind.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact")]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
