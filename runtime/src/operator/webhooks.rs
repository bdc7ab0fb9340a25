//! The functions of an operator that API servers call: reviews and conversions.

use super::builder::Operator;
use super::controller::OperatorContext;
use super::error::{Error, Reason, Result};
use super::instrument::Telemetry;
use super::spoke_check;
use crate::admission::{Backend, Entries, Function, OwnKind};
use crate::conversion::RegisteredSpoke;
use crate::introspection::{self, RbacRule};
use crate::watch::SelectedObjects;
use crate::wiring::Relation;

/// The names of the CRDs with conversions, each once.
pub(super) fn converted(operator: &Operator) -> Vec<String> {
    let mut names: Vec<String> = operator.reviews.spokes.iter().map(RegisteredSpoke::crd_name).collect();
    names.sort();
    names.dedup();
    names
}

/// The webhooks of the operator.
///
/// # Errors
/// The functions contradict each other.
pub(super) fn entries(operator: &Operator) -> Result<Entries> {
    // An operator without functions makes no CRD at its start.
    let members = operator.members.iter().filter(|_| !operator.reviews.functions.is_empty());
    let own = members.filter_map(|member| {
        let definition = member.definition()?;
        Some(OwnKind { kind: member.identity().kind, definition })
    });
    let refused = |refusal: crate::admission::Refusal| Error::new(Reason::Setup, refusal.headline, refusal.help);
    Entries::new(&operator.reviews.functions, &own.collect::<Vec<_>>()).map_err(refused)
}

/// Rejects functions and versions that contradict each other.
pub(super) fn check(operator: &Operator) -> Result {
    entries(operator)?;
    spoke_check::converters(operator).map(drop)
}

/// The RBAC rules of the reconcilers, and those of the functions that review writes.
pub(super) fn with_reviews(operator: &Operator, rules: Vec<RbacRule>) -> Vec<RbacRule> {
    introspection::with_reviews(rules, relations(operator))
}

fn relations(operator: &Operator) -> impl Iterator<Item = &'static Relation> {
    operator.reviews.functions.iter().flat_map(|function| function.wiring().relations)
}

/// Connects the service to the operator that starts. Its watches join those of the reconcilers.
pub(super) fn connect(operator: &Operator, context: &OperatorContext, telemetry: &Telemetry) {
    let functions = &operator.reviews.functions;
    if functions.is_empty() {
        return;
    }
    let caches = SelectedObjects::join(&context.watches, relations(operator), &context.scope);
    let meter = telemetry.reviews(functions.iter().map(Function::wiring));
    operator.reviews.slot.connect(Backend { client: context.client.clone(), caches, meter });
}
