//! Conversions: without the prelude, with types named as those of the standard library, and under another path.
#![no_implicit_prelude]

use super::northstar::{GitRepository, GitRepositorySpec, old};

mod core {}
mod std {}
mod serde_json {}
struct Option;
struct Some;
struct None;
struct Result;
struct Ok;

const fn hub(url: ::std::string::String) -> GitRepositorySpec {
    let (interval, secret) = (::std::option::Option::None, ::std::option::Option::None);
    GitRepositorySpec {
        url,
        interval,
        secret,
        suspend: ::std::option::Option::None,
        depends_on: ::std::option::Option::None,
    }
}

#[::evenkeel::convert(to = GitRepository, stash, lossy(spec.secret), deprecated = "use v1")]
impl old::Beta {
    fn up(old: old::BetaSpec) -> GitRepositorySpec {
        hub(old.url)
    }
    fn down(new: GitRepositorySpec) -> old::BetaSpec {
        old::BetaSpec { url: new.url }
    }
}

#[::evenkeel::convert(to = GitRepository, stash(spec.interval), crate = crate::renamed::vendor::keel)]
impl old::Alpha {
    fn up(old: old::AlphaSpec) -> GitRepositorySpec {
        hub(old.url)
    }
    fn down(new: GitRepositorySpec) -> old::AlphaSpec {
        old::AlphaSpec { url: new.url }
    }
}

#[test]
fn both_are_served_versions() {
    use ::evenkeel::conversion::Spoke;
    let _ = (Option, Some, None, Result, Ok);
    ::std::assert!(old::Beta::CONVERSION.stash.is_some() && old::Alpha::CONVERSION.lossy.is_empty());
}
