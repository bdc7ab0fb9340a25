//! The type of a rule, and lists of such types.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::expression::Expression;
use super::request::Request;
use crate::kind::{Kind, KindInfo};

/// A rule: the type that [`#[rule]`](macro@crate::rule) generates, with the name of the function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rule",
    label = "not a rule",
    note = "put `#[rule(of = .., at = spec)]` on the function"
)]
pub trait Rule: 'static {
    /// The kind, a custom resource of this program.
    type Kind: Kind + CustomResourceExt + DeserializeOwned;
    /// The declarations of the rule.
    #[doc(hidden)]
    const DECLARED: Declared;
    /// Calls the function; `None` where the API server does not check the rule.
    #[doc(hidden)]
    fn evaluate(object: &Self::Kind, old: Option<&Self::Kind>, request: &Request) -> Option<bool>;
}

/// The declarations of a rule.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Declared {
    pub name: &'static str,
    pub form: Form,
    /// The path to the part of the object, in the names of Rust.
    pub at: &'static [&'static str],
    /// The field that errors name, below that part.
    pub field: &'static [&'static str],
    pub message: Option<&'static str>,
    pub reason: Option<&'static str>,
    pub expression: &'static Expression,
}

/// Where a rule is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Form {
    /// In the schema of the CRD.
    Definition,
    /// As a ValidatingAdmissionPolicy.
    AdmissionPolicy,
}

/// Decodes objects, and calls the function of a rule.
type Evaluate = fn(&Value, Option<&Value>, &Request) -> Result<Option<bool>, serde_json::Error>;

/// A rule of an operator.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Registered {
    pub declared: Declared,
    pub kind: KindInfo,
    /// The CRD without rules.
    pub definition: fn() -> CustomResourceDefinition,
    pub evaluate: Evaluate,
}

impl Registered {
    /// The rule of this type.
    #[must_use]
    pub fn of<R: Rule>() -> Self {
        Self {
            declared: R::DECLARED,
            kind: KindInfo::of::<R::Kind>(),
            definition: R::Kind::crd,
            evaluate: |object, old, request| {
                let object = R::Kind::deserialize(object)?;
                let old = old.map(R::Kind::deserialize).transpose()?;
                Ok(R::evaluate(&object, old.as_ref(), request))
            },
        }
    }
}

/// The rules of an operator, as a tuple of types: `(url_stays, one_login)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rule or a tuple of rules",
    label = "not a rule",
    note = "write `rules::<(url_stays, one_login)>()` with functions that have `#[rule(..)]`"
)]
pub trait Rules {
    /// The rules in order.
    #[doc(hidden)]
    fn registered() -> Vec<Registered>;
}

#[diagnostic::do_not_recommend]
impl<R: Rule> Rules for R {
    fn registered() -> Vec<Registered> {
        vec![Registered::of::<R>()]
    }
}

/// Implements [`Rules`] for tuples of these parts and all shorter ones.
macro_rules! tuples {
    () => {};
    ($first:ident $($rest:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<$first: Rules, $($rest: Rules),*> Rules for ($first, $($rest,)*) {
            fn registered() -> Vec<Registered> {
                let all: [Vec<Registered>; _] = [$first::registered(), $($rest::registered()),*];
                all.concat()
            }
        }
        tuples!($($rest)*);
    };
}
tuples!(A B C D E F G H I J K L M N O P);
