//! The argument `policies`: where the policy of an object is read from, and whether an observer may be missing.

use proc_macro2::Ident;
use syn::{LitStr, Path};

use super::check_argument;
use crate::errors::Errors;
use crate::syntax::args::{Arg, Keys, Value, parse_args};

const KEYS: Keys = Keys { known: &["key", "namespace", "unobserved"], many: &[] };
const EXAMPLE: &str = "key = \"example.com/policy\"";

/// The sources of the policy.
pub(crate) struct Policies {
    /// The keyword, for its span.
    pub(crate) word: Ident,
    pub(crate) key: Option<LitStr>,
    /// Given if the namespace of an object may set the policy as well.
    pub(crate) namespace: Option<Ident>,
    /// Given if there is no observer: no condition is set under the policy `skip`.
    pub(crate) unobserved: Option<Ident>,
    /// Whether an error is already reported.
    wrong: bool,
}

pub(crate) fn parse(arg: &Arg, errors: &mut Errors) -> Option<Policies> {
    let mut policies = Policies { word: arg.key.clone(), key: None, namespace: None, unobserved: None, wrong: false };
    if matches!(arg.value, Value::Word) {
        return Some(policies);
    }
    let before = errors.count();
    let list = errors.take(arg.list(EXAMPLE)).unwrap_or_default();
    for arg in parse_args(list, &KEYS, errors) {
        match arg.key.to_string().as_str() {
            "key" => {
                policies.key = errors.take(arg.text("\"example.com/policy\"").and_then(check_argument::annotation));
            }
            "namespace" => policies.namespace = errors.take(arg.word()).map(|()| arg.key.clone()),
            _ => policies.unobserved = errors.take(arg.word()).map(|()| arg.key.clone()),
        }
    }
    policies.wrong = errors.count() > before;
    Some(policies)
}

/// Policies need an observer or `unobserved`: under the policy `skip` only an observer sets conditions.
pub(crate) fn check_observer(policies: Option<&Policies>, observer: Option<&Path>, errors: &mut Errors) {
    match (policies, observer) {
        (None, Some(observer)) => {
            let help = "add `policies`, so that owners of objects may say `skip`";
            errors.push(observer, "nothing would ever run this observer", help);
        }
        (Some(Policies { word, unobserved: None, wrong: false, .. }), None) => {
            let help =
                "name an `#[observe]` function: `observe = look`; or say that nobody looks: `policies(unobserved)`";
            errors.push(word, "nothing tells how an object stands under the policy `skip`", help);
        }
        (Some(Policies { unobserved: Some(unobserved), .. }), Some(_)) => {
            errors.push(unobserved, "there is an observer", "drop `unobserved`, or the observer");
        }
        _ => {}
    }
}
