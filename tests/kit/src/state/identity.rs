//! Users and their bearer tokens.

/// The user of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
}

/// Marks an in-process request. Its caller owns the cluster and has all permissions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local;

/// Bearer tokens with their users, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities(Vec<(String, String)>);

const ADMIN: &str = "system:admin";
const ANONYMOUS: &str = "system:anonymous";
const ACCOUNT: &str = "system:serviceaccount:";

impl Identities {
    pub(crate) fn add(&mut self, token: &str, user: &str) {
        self.0.push((token.to_owned(), user.to_owned()));
    }

    /// Returns the first token.
    pub(crate) fn first(&self) -> Option<String> {
        self.0.first().map(|(token, _)| token.clone())
    }

    /// Returns the user of a token.
    pub(crate) fn find(&self, token: &str) -> Option<User> {
        self.0.iter().find(|(known, _)| known == token).map(|(_, user)| User::named(user))
    }

    /// Returns whether there are no tokens.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl User {
    /// Returns the administrator.
    pub(crate) fn admin() -> Self {
        User::named(ADMIN)
    }

    /// Returns the user with this name, and with the groups that result from the name.
    pub(crate) fn named(name: &str) -> Self {
        let mut groups = vec!["system:authenticated".to_owned()];
        if name == ADMIN {
            groups.insert(0, "system:masters".to_owned());
        } else if name == ANONYMOUS {
            groups = vec!["system:unauthenticated".to_owned()];
        } else if let Some((namespace, _)) = name.strip_prefix(ACCOUNT).and_then(|rest| rest.split_once(':')) {
            groups.insert(0, "system:serviceaccounts".to_owned());
            groups.insert(1, format!("system:serviceaccounts:{namespace}"));
        }
        User { name: name.to_owned(), groups }
    }

    /// Returns the user of a request without a token.
    pub(crate) fn anonymous() -> Self {
        User::named(ANONYMOUS)
    }
}
