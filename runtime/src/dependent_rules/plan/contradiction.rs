//! Settings that contradict each other, or that are not possible for a kind. They are found before anything is applied.

use super::checked::Checked;
use super::conversion::check_conversion;
use super::item::Item;
use super::removal_reason::RemovalReason;
use crate::dependent_rules::manifest::{InvalidManifest, JsonText, ObjectId};
use crate::dependent_rules::policy::{DeletePolicy, UpdatePolicy};

/// The most objects with a purge order: each has a record in the status for as long as it is wanted.
const MOST_PURGED: usize = 500;

/// Checks the settings of all objects of a set.
pub(crate) fn check_orders(all: &[Checked<'_>]) -> Result<(), InvalidManifest> {
    all.iter().try_for_each(check_kind)?;
    let purged: Vec<_> = all.iter().filter(|one| one.item.settings.purge_order.is_some()).collect();
    if let Some(one) = purged.get(MOST_PURGED) {
        let problem = format!("{} objects have a purge order; {MOST_PURGED} are possible", purged.len());
        return Err(InvalidManifest::new(&one.item.id, "purge-order", problem));
    }
    let contains = |one: &&Checked<'_>| !one.types.is_empty() || is_namespace(&one.item.id);
    for first in all.iter().filter(contains) {
        let first_of = |other: &&Checked<'_>| defines(first, &other.item.id) || is_namespace_of(first, &other.item.id);
        all.iter().filter(first_of).try_for_each(|other| check_pair(first.item, other.item))?;
    }
    all.iter().filter(|one| is_type(&one.item.id)).try_for_each(|crd| check_conversion(crd, all))
}

fn check_kind(one: &Checked<'_>) -> Result<(), InvalidManifest> {
    let Checked { item, .. } = one;
    let invalid = |field: &str, problem: &str| Err(InvalidManifest::new(&item.id, field, problem));
    let (is_namespace, is_type) = (is_namespace(&item.id), is_type(&item.id));
    if item.settings.purge_order.is_some() && (is_namespace || is_type) {
        return invalid("purge-order", "it is not possible for this kind: the objects in it would be deleted, too");
    }
    if item.settings.delete == DeletePolicy::DeleteWithContent && !is_namespace {
        return invalid("delete-policy", "`delete-with-content` is for Namespaces only; write `delete`");
    }
    let recreates = matches!(item.settings.update, UpdatePolicy::Recreate | UpdatePolicy::ApplyOrRecreate);
    if recreates && one.has_own_update && !may_be_recreated(&item.id, &one.item.object) {
        return invalid(
            "update-policy",
            "this object is never recreated, as its content or its volumes would be lost; write `apply` or `replace`",
        );
    }
    Ok(())
}

/// Whether an object may be deleted and created again: without it, what it contains would be lost.
pub(crate) fn may_be_recreated(id: &ObjectId, object: &JsonText) -> bool {
    let deletes_volumes = || object.value()["spec"]["persistentVolumeClaimRetentionPolicy"]["whenDeleted"] == "Delete";
    let has_volumes = id.is("apps", "StatefulSet") && deletes_volumes();
    let is_volume = has_volumes || id.is("", "PersistentVolume") || id.is("", "PersistentVolumeClaim");
    !is_namespace(id) && !is_volume && !id.is("apiextensions.k8s.io", "CustomResourceDefinition")
}

pub(crate) fn is_namespace(id: &ObjectId) -> bool {
    id.is("", "Namespace")
}

pub(crate) fn is_type(id: &ObjectId) -> bool {
    id.is("apiextensions.k8s.io", "CustomResourceDefinition") || id.is("apiregistration.k8s.io", "APIService")
}

fn defines(one: &Checked<'_>, instance: &ObjectId) -> bool {
    one.types.iter().any(|defined| defined.has_instance(&instance.group, None, &instance.kind))
}

fn is_namespace_of(one: &Checked<'_>, content: &ObjectId) -> bool {
    is_namespace(&one.item.id) && content.namespace.as_ref() == Some(&one.item.id.name)
}

/// Checks that `second` is applied after `first`, in which it lives, and deleted before it.
fn check_pair(first: &Item, second: &Item) -> Result<(), InvalidManifest> {
    let invalid = |field: &str, problem: String| Err(InvalidManifest::new(&second.id, field, problem));
    let (own, other) = (&second.settings, &first.settings);
    if own.apply_order < other.apply_order {
        let (own, other) = (own.apply_order, other.apply_order);
        return invalid(
            "apply-order",
            format!("{own} is before {other}, the one of {}, which must exist first", first.id),
        );
    }
    if own.delete_order > other.delete_order {
        let (own, other) = (own.delete_order, other.delete_order);
        return invalid(
            "delete-order",
            format!("{own} is after {other}, the one of {}, which must be deleted last", first.id),
        );
    }
    let is_lost = |why: RemovalReason| why.orphans(own.delete) && !why.orphans(other.delete);
    if other.delete != DeletePolicy::DeleteWithContent && RemovalReason::ALL.into_iter().any(is_lost) {
        let (own, other) = (own.delete, other.delete);
        return invalid(
            "delete-policy",
            format!("it is `{own}`, but {} is deleted (`{other}`) with all that is in it", first.id),
        );
    }
    Ok(())
}
