//! A review is a function.
use evenkeel::prelude::*;
use ui_tests::GitRepository;

struct Checks;

impl Checks {
    #[validate]
    fn check(&self, _repo: &GitRepository) -> Result<(), Denial> {
        Ok(())
    }
}

fn main() {
    let _ = Checks;
}
