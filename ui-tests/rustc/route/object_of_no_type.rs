//! The kind does not exist.
use evenkeel::prelude::*;

#[route(get, "/artifact", of = GitRepo)]
fn artifact(_repo: &GitRepo) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
