//! A route has concrete types.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

#[route(get, "/artifact", of = GitRepository)]
fn artifact<T: Send + Sync + 'static>(_repo: &GitRepository, _of: &T) -> Reply {
    Reply::empty()
}

fn main() {}
