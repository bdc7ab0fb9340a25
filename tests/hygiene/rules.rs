//! Rules: without the prelude, with types named as those of the standard library, and under another path.
#![no_implicit_prelude]

use ::evenkeel::rules::Request;

use super::northstar::{GitRepository, GitRepositorySpec};

mod core {}
mod std {}
mod serde_json {}
struct Option;
struct Some;
struct None;
struct Vec;

#[::evenkeel::rule(of = GitRepository, at = spec)]
fn is_named(new: &GitRepositorySpec, old: &GitRepositorySpec) -> bool {
    new.url == old.url
}

#[::evenkeel::rule(of = GitRepository, crate = crate::renamed::vendor::keel)]
fn under_another_path(new: &GitRepository, old: ::std::option::Option<&GitRepository>, request: &Request) -> bool {
    request.dry_run || old.is_some_and(|old| old.spec.url == new.spec.url)
}

#[test]
fn both_are_rules() {
    let _ = (Option, Some, None, Vec);
    let registered = <(is_named, under_another_path) as ::evenkeel::rules::Rules>::registered();
    ::std::assert_eq!(registered.len(), 2);
}
