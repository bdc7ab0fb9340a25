//! Rules with each form of expression.
#![allow(
    clippy::len_zero,
    clippy::nonminimal_bool,
    clippy::partialeq_to_none,
    clippy::redundant_closure_for_method_calls,
    clippy::unnecessary_map_or,
    reason = "each form that a rule may have"
)]

use super::kind::{Depot, DepotSpec, Limits, Secret, Tier};
use evenkeel::prelude::*;
use evenkeel::rules::{Operation, Request};

const PREFIX: &str = "it's \\ \n";
const MOST: i64 = 3;

/// Moving a depot would orphan its artifacts. Nobody could find them.
#[rule(of = Depot, at = spec, message = "the URL cannot be changed", field = url)]
pub(crate) fn url_stays(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.url == old.url
}

/// A depot has one login.
#[rule(of = Depot, at = spec, field = service_account, reason = "FieldValueForbidden")]
pub(crate) fn one_login(new: &DepotSpec) -> bool {
    new.secret.is_none() || new.service_account.is_none()
}

/// The login of a depot is complete.
#[rule(of = Depot, at = spec.secret, field = key, reason = "FieldValueRequired")]
pub(crate) fn login_is_complete(new: &Secret) -> bool {
    !new.name.starts_with("a") || new.key.is_some()
}

#[rule(of = Depot, at = spec.secret)]
pub(crate) fn login_stays(new: &Secret, old: &Secret) -> bool {
    new.name == old.name && new.key == old.key
}

#[rule(of = Depot, at = spec)]
pub(crate) fn whole_login_stays(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.secret == old.secret
}

#[rule(of = Depot, at = spec)]
pub(crate) fn options_are_equal(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.service_account != old.service_account
        || new.namespace == Some(String::from("a"))
        || new.service_account == Some("b".to_string())
        || new.max_size == None
        || new.max_size == old.max_size
}

#[rule(of = Depot, at = spec)]
pub(crate) fn options_have_methods(new: &DepotSpec) -> bool {
    new.namespace.as_deref().is_some_and(|name| name.contains("b") || name.ends_with("c"))
        || new.secret.as_ref().is_none_or(|secret| secret.key.as_deref().unwrap_or("a") != "a")
        || new.max_size.unwrap_or_default() >= MOST
        || new.service_account.as_ref().map_or(false, |account| account.len() > 2)
}

#[rule(of = Depot, at = spec)]
pub(crate) fn numbers_have_operators(new: &DepotSpec) -> bool {
    if new.replicas > 0 && new.spare != 0 {
        new.replicas / i32::from(new.spare) * 2 - 1 <= 6 || new.replicas % 3 == -1
    } else {
        -new.replicas < 2 + 2 * 3
    }
}

#[rule(of = Depot, at = spec)]
pub(crate) fn floats_have_operators(new: &DepotSpec) -> bool {
    (new.ratio + 1.0) * 2.5 - 0.5 < 3.0 || new.ratio >= 1e3 || -new.ratio == 0.5 || new.ratio > 1f64
}

#[rule(of = Depot, at = spec)]
pub(crate) fn texts_have_methods(new: &DepotSpec) -> bool {
    new.note.is_empty() && new.url.len() < 5
        || new.url.chars().count() > 2
        || new.url.starts_with(PREFIX)
        || new.note == "é\"'\\"
        || new.url < new.note
}

#[rule(of = Depot, at = spec)]
pub(crate) fn variants_are_compared(new: &DepotSpec, old: &DepotSpec) -> bool {
    !(new.tier == Tier::Silver && old.tier == Tier::Gold) || !new.paused
}

#[rule(of = Depot, at = spec)]
pub(crate) fn lists_have_methods(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.tags.is_empty() && new.tags.len() < 3
        || new.tags.contains(&new.url)
        || new.tags == old.tags
        || new.tags.iter().all(|tag| tag.len() > 1 && old.tags.iter().any(|old| old == tag))
}

#[rule(of = Depot, at = spec)]
pub(crate) fn sets_have_methods(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.zones.contains("a") || new.zones == old.zones || new.zones.iter().any(|zone| zone.is_empty())
}

#[rule(of = Depot, at = spec)]
pub(crate) fn maps_have_methods(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.labels.contains_key("a") && new.labels.get("a") == old.labels.get("a")
        || new.labels.is_empty() && new.labels.len() == 0
        || new.labels.iter().any(|(key, value)| key == value)
        || new.labels.keys().all(|key| key.starts_with("b"))
        || new.labels.values().any(|value| value == &new.url)
        || new.labels == old.labels
}

#[rule(of = Depot, at = spec)]
pub(crate) fn items_have_fields(new: &DepotSpec) -> bool {
    new.ports.iter().all(|port| {
        port.number > 0
            && port
                .protocol
                .as_ref()
                .is_none_or(|protocol| protocol == "TCP" || new.tags.iter().any(|tag| tag == protocol))
    })
}

#[rule(of = Depot, at = spec)]
pub(crate) fn objects_are_compared(new: &DepotSpec, old: &DepotSpec) -> bool {
    new.limits == old.limits || new.limits.cpu < new.limits.memory
}

#[rule(of = Depot, at = spec.limits)]
pub(crate) fn limits_grow(new: &Limits, old: &Limits) -> bool {
    new.cpu >= old.cpu && new.memory >= old.memory
}

/// Only the release robot may tag.
#[rule(of = Depot, reason = "Forbidden")]
pub(crate) fn robots_tag(new: &Depot, old: Option<&Depot>, request: &Request) -> bool {
    new.spec.tags.is_empty()
        || old.is_some_and(|old| old.spec.tags == new.spec.tags && old.spec.zones == new.spec.zones)
        || request.user.groups.contains("release-robots")
}

#[rule(of = Depot, message = "requests are read")]
pub(crate) fn requests_are_read(new: &Depot, old: Option<&Depot>, request: &Request) -> bool {
    request.operation == Operation::Create
        || request.dry_run
        || request.user.username == "a"
        || request.user.uid.is_empty()
        || request.namespace != "default"
        || request.name.len() > 3
        || new.metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("a"))
        || old.is_none_or(|old| new.metadata.name != old.metadata.name)
}
