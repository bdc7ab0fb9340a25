//! A rule with a request takes the old object.
use evenkeel::prelude::*;
use evenkeel::rules::Request;
use ui_tests::GitRepository;

#[rule(of = GitRepository)]
fn judged(new: &GitRepository, request: &Request) -> bool {
    request.dry_run || !new.spec.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
