//! The user whose rights the calls of a step have.

/// A user that the operator impersonates, with groups that the API server does not add by itself.
///
/// Source: <https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation>.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    user: String,
    groups: Vec<String>,
}

impl Identity {
    /// The user with this name; `None`: a name has a character that a header of a request cannot have.
    pub(crate) fn new(user: String, groups: Vec<String>) -> Option<Self> {
        let is_header = |name: &String| name.chars().all(|c| (' '..='~').contains(&c));
        (is_header(&user) && groups.iter().all(is_header)).then_some(Self { user, groups })
    }

    /// The name of the user.
    #[cfg(any(feature = "operator", test))]
    pub(crate) fn user(&self) -> &str {
        &self.user
    }

    /// The groups.
    #[cfg(any(feature = "operator", test))]
    pub(crate) fn groups(&self) -> &[String] {
        &self.groups
    }
}
