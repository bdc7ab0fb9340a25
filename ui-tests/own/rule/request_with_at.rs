//! A rule with a request is about the whole object.
use evenkeel::prelude::*;
use evenkeel::rules::Request;
use ui_tests::GitRepository;

#[rule(of = GitRepository, at = spec)]
fn judged(new: &GitRepository, _old: Option<&GitRepository>, request: &Request) -> bool {
    request.dry_run || !new.spec.url.is_empty()
}

fn main() {
    ui_tests::enforce::<judged>();
}
