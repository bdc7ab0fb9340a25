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
}

/// One rule.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) place: Where,
    pub(crate) ask: fn(Env) -> Pin<Box<dyn Future<Output = Verdict> + Send>>,
}

/// Lists the rules of a module; those after `embedded` need the embedded server.
macro_rules! rules {
    ($($name:ident),* $(,)? $(; embedded $($own:ident),* $(,)?)?) => {
        pub(crate) fn rules() -> Vec<crate::rule::Rule> {
            vec![
                $(crate::rule::rule!($name, Anywhere),)*
                $($(crate::rule::rule!($own, Embedded),)*)?
            ]
        }
    };
}

macro_rules! rule {
    ($name:ident, $place:ident) => {
        crate::rule::Rule {
            name: stringify!($name),
            place: crate::rule::Where::$place,
            ask: |env| Box::pin(async move { $name(&env).await }),
        }
    };
}

pub(crate) use {rule, rules};
