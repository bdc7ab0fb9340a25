//! The request that a rule of a policy can read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The request that a [`#[rule]`](macro@crate::rule) with `request: &Request` can read: the part of an admission review that does not depend on the
/// kind.
///
/// ```
/// use evenkeel::rules::{Operation, Request, User};
///
/// let request = Request {
///     operation: Operation::Update,
///     user: User { groups: ["release-robots".to_owned()].into(), ..User::default() },
///     ..Request::default()
/// };
/// assert!(request.user.groups.contains("release-robots"));
/// ```
///
/// Source: [`AdmissionRequest`](https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request), the variable
/// `request` of a ValidatingAdmissionPolicy. What the API server omits there is empty here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Request {
    /// What is done with the object.
    pub operation: Operation,
    /// Who does it.
    #[serde(rename = "userInfo")]
    pub user: User,
    /// The name of the object. It may be empty on creation, if the API server generates the name.
    pub name: String,
    /// The namespace of the object; empty for a cluster-scoped one.
    pub namespace: String,
    /// Whether nothing is stored in the end, as with `kubectl apply --dry-run=server`.
    pub dry_run: bool,
}

/// The user of a [`Request`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct User {
    /// The name, such as `system:serviceaccount:team-a:robot`.
    pub username: String,
    /// The unique id; empty if the authenticator has none.
    pub uid: String,
    /// The groups, such as `system:authenticated`.
    pub groups: BTreeSet<String>,
}

/// The operation of a [`Request`]. Rules are not checked on deletion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Operation {
    /// A new object.
    #[default]
    Create,
    /// A change of an object.
    Update,
}
