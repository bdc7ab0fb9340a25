//! Rights: who asks, and whether the roles in the store allow it.

mod attributes;
mod covers;
mod escalation_check;
mod identity;
mod resolve;
mod review;
mod rule;
mod seed;
mod token;

use crate::api_error::Failure;
use crate::server::Server;

pub(crate) use attributes::Asked;
pub(crate) use escalation_check::check_given;
pub(crate) use identity::{Identities, Local, User};
pub(crate) use review::answer as review;
pub(crate) use seed::plant;
pub(crate) use token::{AUDIENCE, Token, Tokens};

/// Refuses what the user may not do, with the text of a real server.
///
/// # Errors
/// 403 when rights are checked and no role allows it.
pub(crate) fn check(server: &Server, user: &User, asked: &Asked) -> Result<(), Failure> {
    match decide(server, user, asked) {
        Decision::Allowed(_) => Ok(()),
        Decision::Denied => Err(asked.refusal(user)),
    }
}

/// What is decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// With the reason a review tells.
    Allowed(String),
    Denied,
}

/// The group that may do everything.
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
