//! Authorization: whether the roles in the store allow a request of a user.

mod attributes;
mod covers;
mod escalation_check;
mod identity;
mod resolve;
mod review;
mod rule;
mod seed;
mod token;
mod token_review;

use crate::api_error::{About, Failure};
use crate::request_context::Call;
use crate::state::{Server, User};

pub(crate) use attributes::Asked;
pub(crate) use escalation_check::check_given;
pub(crate) use identity::user;
pub(crate) use review::answer as review;
pub(crate) use seed::plant;
pub(crate) use token::AUDIENCE;
pub(crate) use token_review::answer as review_token;

/// Rejects a request that the user may not perform, with the message of an API server.
///
/// # Errors
/// 403 if authorization is enabled and no role allows the request.
pub(crate) fn check(server: &Server, user: &User, asked: &Asked) -> Result<(), Failure> {
    match decide(server, user, asked) {
        Decision::Allowed(_) => Ok(()),
        Decision::Denied => Err(asked.refusal(user)),
    }
}

/// Rejects an apply or update that would create the object if the user may not create it.
pub(crate) fn check_create(server: &Server, call: &Call) -> Result<(), Failure> {
    let asked = Asked {
        verb: "create".to_owned(),
        group: call.kind.group.clone(),
        resource: call.kind.plural.clone(),
        namespace: call.target.space().to_owned(),
        name: call.name().to_owned(),
        ..Asked::default()
    };
    // API servers return no reason here.
    let about = About { group: &call.kind.group, kind: &call.kind.plural, name: call.name() };
    check(server, &call.user, &asked).map_err(|_| Failure::forbidden(about, ""))
}

/// The result of authorization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Allowed, with the reason that a review reports.
    Allowed(String),
    Denied,
}

/// The group whose members may do everything.
const MASTERS: &str = "system:masters";

pub(crate) fn decide(server: &Server, user: &User, asked: &Asked) -> Decision {
    if !server.options.rbac {
        return Decision::Allowed("rights are not checked by this server".to_owned());
    }
    if user.groups.iter().any(|group| group == MASTERS) {
        return Decision::Allowed(String::new());
    }
    let space = (!asked.namespace.is_empty()).then_some(asked.namespace.as_str());
    let mut granted = resolve::granted(server, user, space).into_iter();
    let found = granted.find(|grant| grant.rules.iter().any(|rule| rule::allows(rule, asked)));
    found.map_or(Decision::Denied, |grant| Decision::Allowed(format!("RBAC: allowed by {}", grant.source)))
}
