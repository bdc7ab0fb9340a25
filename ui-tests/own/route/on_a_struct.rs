//! A route is a function.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
struct Archive;

fn main() {
    let _: Option<GitRepository> = None;
    let _ = Archive;
}
