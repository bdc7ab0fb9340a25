//! Authentication: a bearer token, an impersonated user, or the caller inside the process.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;

use super::attributes::Asked;
use super::{check, token};
use crate::api_error::Failure;
use crate::log::IMPERSONATE;
use crate::state::{Local, Server, User};

const ACCOUNT: &str = "system:serviceaccount:";

/// The authenticated caller.
///
/// # Errors
/// 401 for an unknown token, or for a missing token if tokens are required.
fn caller(server: &Server, parts: &Parts) -> Result<User, Failure> {
    let (known, rbac) = (&server.options.identities, server.options.rbac);
    let token = header(&parts.headers, AUTHORIZATION.as_str());
    let open = known.is_empty() && !rbac;
    match token.map(|token| token.strip_prefix("Bearer ").unwrap_or_default()) {
        _ if open => Ok(User::admin()),
        Some(token) => known.find(token).or_else(|| token::user(server, token)).ok_or_else(unauthorized),
        None if parts.extensions.get::<Local>().is_some() => Ok(User::admin()),
        None if known.is_empty() => Ok(User::admin()),
        None if rbac => Ok(User::anonymous()),
        None => Err(unauthorized()),
    }
}

/// The effective user: the caller, or the user that the caller impersonates.
///
/// # Errors
/// 401 as above; 403 if the caller may not impersonate the user.
pub(crate) fn user(server: &Server, parts: &Parts) -> Result<User, Failure> {
    let caller = caller(server, parts)?;
    let groups = parts.headers.get_all("Impersonate-Group").iter().filter_map(|group| group.to_str().ok());
    let groups: Vec<String> = groups.map(str::to_owned).collect();
    let Some(name) = header(&parts.headers, IMPERSONATE) else { return Ok(caller) };
    check(server, &caller, &impersonation(name))?;
    for group in &groups {
        check(server, &caller, &asking("groups", "", group))?;
    }
    let mut user = User::named(name);
    user.groups.extend(groups);
    Ok(user)
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
