//! The next calls for objects that are no longer wanted.

use super::removal_reason::RemovalReason;
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::order::delete_rank;
use crate::dependent_rules::policy::DeletePolicy;

/// An object that is no longer wanted.
#[derive(Clone, Debug)]
pub struct Unwanted<'a> {
    /// Its identity.
    pub id: &'a ObjectId,
    /// What happens to it.
    pub delete: DeletePolicy,
    /// Its wave.
    pub order: i16,
    /// Whether it has a deletion timestamp.
    pub is_deleted: bool,
    /// Whether another object of the component defines its type.
    pub is_instance: bool,
}

/// A call for an object that is no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The marks are removed, and the object stays.
    Orphan,
    /// It is deleted.
    Delete,
}

/// Determines the next calls, by the place of the object in `all` and in the order in which they start. An empty result for objects that are
/// there means that their end is waited for.
///
/// Objects that stay lose their marks at once. The others are deleted by their delete orders; in a wave the instances of managed types are
/// deleted first, and the rest follows when they are gone. Namespaces come last of all.
#[must_use]
pub fn removal(all: &[Unwanted<'_>], why: RemovalReason) -> Vec<(usize, Removal)> {
    let (kept, deleted): (Vec<_>, Vec<_>) = all.iter().enumerate().partition(|(_, one)| why.orphans(one.delete));
    let orphaned = kept.into_iter().filter(|(_, one)| !one.is_deleted).map(|(i, _)| (i, Removal::Orphan));
    let step = |one: &Unwanted<'_>| {
        let is_namespace = one.id.is("", "Namespace");
        (is_namespace, if is_namespace { 0 } else { one.order }, !one.is_instance)
    };
    let first = deleted.iter().map(|(_, one)| step(one)).min();
    let mut next: Vec<_> = deleted.into_iter().filter(|(_, one)| Some(step(one)) == first && !one.is_deleted).collect();
    next.sort_by_key(|(_, one)| delete_rank(&one.id.group, &one.id.kind));
    orphaned.chain(next.into_iter().map(|(i, _)| (i, Removal::Delete))).collect()
}
