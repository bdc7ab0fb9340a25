//! What `#[validate]` and `#[mutate]` declare.

use std::time::Duration;

use super::relation::Relation;

/// The declarations of a function that reviews writes.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionWiring {
    /// The name of the function: `team_exists`.
    pub name: &'static str,
    /// Whether it may change the object (`#[mutate]`).
    pub mutates: bool,
    /// The operations that it reviews (`on(..)`).
    pub operations: &'static [Operation],
    /// What the API server does if the function cannot answer (`failure = ".."`).
    pub failure: Failure,
    /// How long the API server waits for the answer (`timeout = ".."`).
    pub timeout: Duration,
    /// A CEL expression that the API server evaluates before it calls (`when = ".."`).
    pub when: Option<&'static str>,
    /// The label selector of the objects (`objects = ".."`).
    pub objects: Option<&'static str>,
    /// The label selector of their namespaces (`namespaces = ".."`).
    pub namespaces: Option<&'static str>,
    /// The subresource that is reviewed instead of the object (`subresource = ".."`).
    pub subresource: Option<&'static str>,
    /// Whether it also reviews updates that change metadata and status only (`unchanged`).
    pub unchanged: bool,
    /// Whether a failure may block writes of a kind that other programs need (`anyway`).
    pub anyway: bool,
    /// Whether it takes the object as it was before.
    pub takes_old: bool,
    /// The kinds that it reads.
    pub relations: &'static [Relation],
    /// The paths of `field!(..)` in its body, as written: `spec.secret?.name`.
    pub fields: &'static [&'static str],
}

impl AdmissionWiring {
    /// A `#[validate]` function with the default of every argument.
    pub const DEFAULT: Self = Self {
        name: "",
        mutates: false,
        operations: &[Operation::Create, Operation::Update],
        failure: Failure::Fail,
        timeout: Duration::from_secs(5),
        when: None,
        objects: None,
        namespaces: None,
        subresource: None,
        unchanged: false,
        anyway: false,
        takes_old: false,
        relations: &[],
        fields: &[],
    };
}

/// A write that is reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// A new object.
    Create,
    /// A change of an object, by any verb.
    Update,
    /// The deletion of an object. For an object with finalizers, this is the request that sets the deletion timestamp.
    Delete,
}

impl Operation {
    /// The operation as in an `AdmissionReview`: `CREATE`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// What the API server does if a function cannot answer: `failurePolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The write fails.
    Fail,
    /// The write is carried out without a review.
    Ignore,
}

impl Failure {
    /// The policy as in a webhook configuration: `Fail`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "Fail",
            Self::Ignore => "Ignore",
        }
    }
}
