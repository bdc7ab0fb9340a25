//! A rule is a function of its own.
use evenkeel::prelude::*;
use ui_tests::GitRepositorySpec;

struct Rules;

impl Rules {
    #[rule(of = ui_tests::GitRepository, at = spec)]
    fn judged(&self, new: &GitRepositorySpec) -> bool {
        !new.url.is_empty()
    }
}

fn main() {
    let _ = Rules;
}
