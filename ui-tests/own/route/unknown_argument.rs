//! Arguments are those of the page.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", on = GitRepository)]
fn artifact(_repo: &GitRepository) -> Reply {
    Reply::empty()
}

fn main() {
    ui_tests::route::<artifact>();
}
