//! The argument `policies`: where the policy of an object is read from, and whether an observer may be missing.

use darling::FromMeta;
use proc_macro2::Ident;
use syn::{LitStr, Path};

use super::check_argument;
use crate::errors::Errors;
use crate::syntax::args::{Arg, Keys, Value};
use crate::syntax::meta::{self, some};

const KEYS: Keys = Keys { known: &["key", "namespace", "unobserved"], many: &[] };
const EXAMPLE: &str = "key = \"example.com/policy\"";

/// The sources of the policy.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct Policies {
    /// The keyword, for its span.
    #[darling(skip)]
    pub(crate) word: Option<Ident>,
    #[darling(with = |meta| some(meta, |arg| check_argument::annotation(arg.text("\"example.com/policy\"")?)))]
    pub(crate) key: Option<LitStr>,
    /// Given if the namespace of an object may set the policy as well.
    #[darling(with = |meta| some(meta, Arg::keyword))]
    pub(crate) namespace: Option<Ident>,
    /// Given if there is no observer: no condition is set under the policy `skip`.
    #[darling(with = |meta| some(meta, Arg::keyword))]
    pub(crate) unobserved: Option<Ident>,
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<Policies> {
    let policies = match arg.value {
        Value::Word => Policies::default(),
        _ => meta::nested(arg, EXAMPLE, &KEYS, |_, _| {})?,
    };
    Ok(Policies { word: Some(arg.key.clone()), ..policies })
}

/// Policies need an observer or `unobserved`: under the policy `skip` only an observer sets conditions.
pub(crate) fn check_observer(policies: Option<&Policies>, observer: Option<&Path>, errors: &mut Errors) {
    match (policies, observer) {
        (None, Some(observer)) => {
            let help = "add `policies`, so that an object can have the policy `skip`";
            errors.push(observer, "this observer would never run", help);
        }
        (Some(Policies { word, unobserved: None, .. }), None) => {
            let help = "name an `#[observe]` function: `observe = look`; or declare that there is none: `policies(unobserved)`";
            errors.push(word, "nothing reports the state of an object with the policy `skip`", help);
        }
        (Some(Policies { unobserved: Some(unobserved), .. }), Some(_)) => {
            errors.push(unobserved, "there is an observer", "drop `unobserved`, or the observer");
        }
        _ => {}
    }
}
