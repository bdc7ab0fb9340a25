//! Users, and the bearer tokens by which they are known.

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) groups: Vec<String>,
}

/// Marks a request that comes from inside the process: its caller holds the cluster, and may do everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local;

/// Bearer tokens and whose they are, in the order they were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identities(Vec<(String, String)>);

const ADMIN: &str = "system:admin";
const ANONYMOUS: &str = "system:anonymous";
const ACCOUNT: &str = "system:serviceaccount:";

impl Identities {
    pub(crate) fn add(&mut self, token: &str, user: &str) {
        self.0.push((token.to_owned(), user.to_owned()));
    }

    /// The first token.
    pub(crate) fn first(&self) -> Option<String> {
        self.0.first().map(|(token, _)| token.clone())
    }

    /// The user of a token.
    pub(crate) fn find(&self, token: &str) -> Option<User> {
        self.0.iter().find(|(known, _)| known == token).map(|(_, user)| User::named(user))
    }

    /// Whether no token was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl User {
    /// The user who may do everything.
    pub(crate) fn admin() -> Self {
        User::named(ADMIN)
    }

    /// A user by name, with the groups that come with the name.
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

    /// Who asks without a token.
    pub(crate) fn anonymous() -> Self {
        User::named(ANONYMOUS)
    }
}
