//! A route is a function.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

struct Archive;

impl Archive {
    #[route(get, "/artifact", of = GitRepository)]
    fn artifact(&self, _repo: &GitRepository) -> Reply {
        Reply::empty()
    }
}

fn main() {
    let _ = Archive;
}
