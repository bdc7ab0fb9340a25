//! Who asks: a bearer token, an impersonated user, or the caller inside the process.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::{Asked, Tokens, check};
use crate::api_error::Failure;
use crate::server::Server;

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

    fn find(&self, token: &str) -> Option<User> {
        self.0.iter().find(|(known, _)| known == token).map(|(_, user)| User::named(user))
    }

    /// Who asks.
    ///
    /// # Errors
    /// 401 for an unknown token, or for none where tokens are the only way in.
    fn caller(server: &Server, parts: &Parts) -> Result<User, Failure> {
        let (known, rbac) = (&server.options.identities, server.options.rbac);
        let token = header(&parts.headers, AUTHORIZATION.as_str());
        let open = known.0.is_empty() && !rbac;
        match token.map(|token| token.strip_prefix("Bearer ").unwrap_or_default()) {
            _ if open => Ok(User::admin()),
            Some(token) => known.find(token).or_else(|| Tokens::user(server, token)).ok_or_else(unauthorized),
            None if parts.extensions.get::<Local>().is_some() => Ok(User::admin()),
            None if known.0.is_empty() => Ok(User::admin()),
            None if rbac => Ok(User::named(ANONYMOUS)),
            None => Err(unauthorized()),
        }
    }

    /// Who asks, or whom the caller asks as.
    ///
    /// # Errors
    /// 401 as above; 403 when the caller may not ask as another.
    pub(crate) fn user(server: &Server, parts: &Parts) -> Result<User, Failure> {
        let caller = Self::caller(server, parts)?;
        let groups = parts.headers.get_all("Impersonate-Group").iter().filter_map(|group| group.to_str().ok());
        let groups: Vec<String> = groups.map(str::to_owned).collect();
        let Some(name) = header(&parts.headers, "Impersonate-User") else { return Ok(caller) };
        check(server, &caller, &impersonation(name))?;
        for group in &groups {
            check(server, &caller, &asking("groups", "", group))?;
        }
        let mut user = User::named(name);
        user.groups.extend(groups);
        Ok(user)
    }
}

impl User {
    /// The user who may do everything.
    fn admin() -> Self {
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
}

fn impersonation(name: &str) -> Asked {
    match name.strip_prefix(ACCOUNT).and_then(|rest| rest.split_once(':')) {
        Some((namespace, account)) => asking("serviceaccounts", namespace, account),
        None => asking("users", "", name),
    }
}

fn asking(resource: &str, namespace: &str, name: &str) -> Asked {
    Asked {
        verb: "impersonate".to_owned(),
        resource: resource.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        ..Asked::default()
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn unauthorized() -> Failure {
    Failure::status(401, "Unauthorized", "Unauthorized")
}
