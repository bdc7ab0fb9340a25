//! Fits ownership recorded under an earlier schema to the schema of today.

use super::ledger::Ledger;
use super::set::{Node, Set};
use super::shape::Shape;

/// The ledger with every claim inside a map or list that has become atomic turned into a claim on the whole. Claims on
/// the whole of what has become granular stay as they are.
pub(crate) fn reconciled(mut ledger: Ledger, shape: Shape<'_>) -> Ledger {
    for entry in ledger.entries.values_mut() {
        entry.set = collapsed(&entry.set, shape);
    }
    ledger
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
