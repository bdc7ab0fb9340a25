//! The served versions of an operator: each belongs to one stored version, which the operator reconciles.

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::served_versions::merged;
use crate::conversion::{Converter, RegisteredSpoke, described};
use crate::rule::{AdmissionPolicy, RuleError};
use crate::wiring::KindInfo;
use crate::wiring::annotations::DOMAIN;

/// The conversions of the operator, one for each kind.
///
/// # Errors
/// The versions contradict each other or the reconcilers.
pub(super) fn converters(operator: &Operator) -> Result<Vec<Converter>> {
    let spokes = &operator.reviews.spokes;
    for (at, spoke) in spokes.iter().enumerate() {
        check_hub(spoke, spokes)?;
        check_other(spoke, &spokes[..at])?;
        check_reconciled(operator, spoke)?;
    }
    let domain = operator.marks.as_deref().unwrap_or(DOMAIN);
    let mut converters = Vec::new();
    for (at, first) in spokes.iter().enumerate() {
        let is_same = |other: &&RegisteredSpoke| other.crd_name() == first.crd_name();
        if spokes[..at].iter().any(|earlier| is_same(&earlier)) {
            continue;
        }
        let of_kind = spokes.iter().filter(is_same).cloned().collect();
        converters.push(Converter::new(of_kind, domain).map_err(|error| setup(error.headline, error.help))?);
    }
    Ok(converters)
}

fn setup(headline: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(Reason::Setup, headline, help)
}

/// The stored version is another version of the same kind, and not converted itself.
fn check_hub(spoke: &RegisteredSpoke, all: &[RegisteredSpoke]) -> Result {
    let (name, hub) = (spoke.name(), described(&spoke.hub));
    let [own, stored] = [&spoke.spoke, &spoke.hub];
    let differs = [
        ("group", own.resource.group != stored.resource.group),
        ("kind", own.resource.kind != stored.resource.kind),
        ("plural", own.resource.plural != stored.resource.plural),
        ("scope", own.namespaced != stored.namespaced),
    ];
    if let Some((what, _)) = differs.into_iter().find(|(_, differs)| *differs) {
        let headline = format!("{name} is converted to {hub}, which has another {what}");
        return Err(setup(
            headline,
            format!("give both the same {what} in `#[kube(..)]`, or name another type in `to`"),
        ));
    }
    if own.resource.version == stored.resource.version {
        let headline = format!("{name} is converted to {hub}, which has the same version");
        return Err(setup(headline, "give one of them another version in `#[kube(..)]`, or name another type in `to`"));
    }
    if let Some(other) = all.iter().find(|other| other.spoke == spoke.hub) {
        let headline = format!("{name} is converted to {hub}, which is converted itself");
        let help = format!("convert all versions to the stored one: `to = {}::..`", other.hub.resource.version);
        return Err(setup(headline, help));
    }
    Ok(())
}

/// A version is registered once, and a kind has one stored version.
fn check_other(spoke: &RegisteredSpoke, earlier: &[RegisteredSpoke]) -> Result {
    if earlier.iter().any(|other| other.spoke == spoke.spoke) {
        let headline = format!("{} is served twice", spoke.name());
        return Err(setup(headline, "call `serves` once for each version"));
    }
    let other = earlier.iter().find(|other| other.crd_name() == spoke.crd_name() && other.hub != spoke.hub);
    other.map_or(Ok(()), |other| {
        let hubs = [&other.hub, &spoke.hub].map(|hub| &hub.resource.version);
        let kind = &spoke.spoke.resource.kind;
        let headline = format!("the versions of {kind} are converted to two stored ones, {} and {}", hubs[0], hubs[1]);
        Err(setup(headline, "convert all versions to the one that is stored and reconciled"))
    })
}

/// The operator reconciles the stored version, and no other one.
fn check_reconciled(operator: &Operator, spoke: &RegisteredSpoke) -> Result {
    let stored = &spoke.hub.resource.version;
    let of_kind = |kind: &KindInfo| operator.members.iter().find(|member| member.identity().kind == *kind);
    if let Some(member) = of_kind(&spoke.spoke) {
        let headline = format!("{} reconciles {}, which is not stored", member.identity().name, spoke.name());
        return Err(setup(headline, format!("reconcile {stored}, the stored version")));
    }
    let hub = described(&spoke.hub);
    let Some(definition) = of_kind(&spoke.hub).and_then(|member| member.definition()) else {
        let headline = format!("{} is served, but this operator does not reconcile {hub}", spoke.name());
        return Err(setup(headline, "add a reconciler of the stored version, or leave out `serves`"));
    };
    merged(&definition, &[spoke]).map(drop).map_err(|error| {
        let headline = format!("{} cannot be a version of the CRD of {hub}: {error}", spoke.name());
        setup(headline, "derive both with `CustomResource`, with one version each").caused_by(error)
    })
}

/// The rules in the CRDs of kinds with several versions, as policies.
pub(super) fn hub_policies(operator: &Operator) -> impl Iterator<Item = Result<AdmissionPolicy, RuleError>> {
    let spokes = &operator.reviews.spokes;
    let has_spokes = move |kind: &KindInfo| spokes.iter().any(|spoke| spoke.hub == *kind);
    let rules = operator.rules.iter().filter(move |rule| has_spokes(&rule.kind));
    rules.filter_map(|rule| rule.hub_policy().transpose())
}

/// Logs that nothing in this process answers the API server.
pub(super) fn warn_without_server(operator: &Operator) {
    let Some(spoke) = operator.reviews.spokes.first().filter(|_| operator.reviews.server.is_none()) else { return };
    tracing::warn!(
        version = spoke.name(),
        "the version is served, but this process has no webhook server: requests in it fail unless another replica answers them; \
         start this one with `--webhooks 0.0.0.0:9443`"
    );
}
