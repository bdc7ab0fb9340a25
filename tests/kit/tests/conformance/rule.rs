//! A rule: a sentence, and the code that checks it on a server.

use std::future::Future;
use std::pin::Pin;

use crate::check::Verdict;
use crate::env::Env;

/// The servers on which a rule can be checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Anywhere,
    /// The rule needs a hook that only the embedded server has.
    Embedded,
    /// The rule needs a server that selects shards, which the feature gate `ShardedListAndWatch` enables.
    Sharded,
    /// The rule needs a server that does not.
    Unsharded,
}

/// One rule.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) place: Where,
    pub(crate) ask: fn(Env) -> Pin<Box<dyn Future<Output = Verdict> + Send>>,
}

/// Lists the rules of a module; those after `embedded`, `sharded` or `unsharded` need such a server.
macro_rules! rules {
    ($($name:ident),* $(,)? $(; $place:ident $($own:ident),* $(,)?)*) => {
        pub(crate) fn rules() -> Vec<crate::rule::Rule> {
            use crate::rule::{place, rule};
            [vec![$(rule!($name, place!(anywhere))),*], $(vec![$(rule!($own, place!($place))),*]),*].concat()
        }
    };
}

macro_rules! place {
    (anywhere) => {
        crate::rule::Where::Anywhere
    };
    (embedded) => {
        crate::rule::Where::Embedded
    };
    (sharded) => {
        crate::rule::Where::Sharded
    };
    (unsharded) => {
        crate::rule::Where::Unsharded
    };
}

macro_rules! rule {
    ($name:ident, $place:expr) => {
        crate::rule::Rule {
            name: stringify!($name),
            place: $place,
            ask: |env| Box::pin(async move { $name(&env).await }),
        }
    };
}

pub(crate) use {place, rule, rules};
