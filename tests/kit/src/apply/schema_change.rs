//! Adapts ownership that was recorded under an earlier schema to the current schema.

use serde_json::Value;

use super::actor::Rules;
use super::managed_fields::Ledger;
use super::owned_paths::owned;
use super::path_element::Element;
use super::set::{Node, Set};
use super::shape::Shape;
use super::views::Views;

/// Adapts the ledger of an object, each entry to the schema of its version: ownership inside a map or list that has become atomic becomes ownership of the whole map or list.
/// Ownership of the whole of a map or list that has become granular is unchanged; the exception is the status in early releases.
///
/// # Errors
/// If the object has no form in the version of an entry.
pub(super) fn reconciled(mut ledger: Ledger, object: &Value, views: Views<'_>, rules: Rules) -> Result<Ledger, String> {
    for entry in ledger.entries.values_mut() {
        let (object, shape) = views.of(object, &entry.api_version)?;
        entry.set = collapsed(&entry.set, shape);
        if rules == Rules::Before122 {
            expand_status(&mut entry.set, &object, shape);
        }
    }
    Ok(ledger)
}

/// Replaces ownership of the whole status by ownership of each of its fields.
fn expand_status(set: &mut Set, object: &Value, shape: Shape<'_>) {
    let status = Element::field("status");
    if set.has(&status) && set.below(&status).is_none() {
        let below = owned(&object["status"], shape.step(&status).0);
        set.attach(status, Node { is_member: true, below });
    }
}

fn collapsed(set: &Set, shape: Shape<'_>) -> Set {
    let mut left = Set::default();
    for (element, node) in set.nodes() {
        let (inner, _) = shape.step(element);
        left.attach(
            element.clone(),
            match node {
                node if node.below.is_empty() => node.clone(),
                _ if inner.is_atomic() => Node { is_member: true, below: Set::default() },
                node => Node { is_member: node.is_member, below: collapsed(&node.below, inner) },
            },
        );
    }
    left
}
