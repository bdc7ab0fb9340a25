//! The plan of a set from its manifests.

use std::collections::HashMap;

use super::checked::Checked;
use super::contradiction::{check_orders, is_type, may_be_recreated};
use super::item::{Item, Part, Plan};
use crate::dependent_rules::manifest::{Applied, Digest, InvalidManifest, Manifest, ObjectId};
use crate::dependent_rules::order::{ManagedType, TypePattern, apply_rank, managed_types};
use crate::dependent_rules::policy::{Policies, ReconcilePolicy, Settings, UpdatePolicy};

/// What holds for all objects of a set.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions<'a> {
    /// The policies of the component, filled up with those of the operator.
    pub policies: Policies,
    /// Types that count as managed although no object of the set defines them.
    pub manages: &'a [TypePattern],
    /// The digest of the component, for objects that are updated when it changes.
    pub component: &'a str,
    /// The most objects of a set.
    pub limit: usize,
}

impl Plan {
    /// Puts the manifests in order.
    ///
    /// # Errors
    /// There are too many manifests, two of them are of one object, or settings contradict each other.
    pub fn new(manifests: Vec<Manifest>, options: PlanOptions<'_>) -> Result<Self, InvalidManifest> {
        check_count(&manifests, options.limit)?;
        let services = Services::of(&manifests);
        let types: Vec<_> = manifests.iter().map(types_of).collect();
        let defined: Vec<_> = types.iter().flatten().collect();
        let part = |manifest: &Manifest| {
            let (group, version, kind) = (&manifest.kind.group, &manifest.kind.version, &manifest.kind.kind);
            let is_managed = options.manages.iter().any(|pattern| pattern.matches(group, kind));
            let is_instance = defined.iter().any(|one| one.has_instance(group, Some(version), kind));
            match () {
                () if is_managed || is_instance => Part::Instance,
                () if group == "apiregistration.k8s.io" || services.answer(manifest) => Part::Late,
                () => Part::Normal,
            }
        };
        let parts: Vec<Part> = manifests.iter().map(part).collect();
        let own_updates: Vec<bool> = manifests.iter().map(|one| one.overrides.update.is_some()).collect();
        let mut items: Vec<Item> =
            manifests.into_iter().zip(parts).map(|(manifest, part)| item(manifest, part, options)).collect();
        let checked = items.iter().zip(&types).zip(own_updates);
        let checked = checked.map(|((item, types), has_own_update)| Checked { item, types, has_own_update });
        check_orders(&checked.collect::<Vec<_>>())?;
        items.sort_by_key(|item| (item.settings.apply_order, item.part, item.rank));
        let digests = items.iter().flat_map(|item| [item.applied.content, item.applied.settings]);
        let digest = Digest::of_all(digests.flatten());
        Ok(Self { items, digest })
    }
}

/// The types that the object defines. Only objects of the kinds that define some are read.
fn types_of(manifest: &Manifest) -> Vec<ManagedType> {
    if is_type(&manifest.id) { managed_types(&manifest.object.value()) } else { Vec::new() }
}

fn item(manifest: Manifest, part: Part, options: PlanOptions<'_>) -> Item {
    let mut settings = Settings::resolve(manifest.overrides.clone(), options.policies);
    // A default of the set recreates neither what others depend on, nor the instances of a type that the set defines.
    if manifest.overrides.update.is_none()
        && (part == Part::Instance || !may_be_recreated(&manifest.id, &manifest.object))
    {
        settings.update = match settings.update {
            UpdatePolicy::Recreate | UpdatePolicy::ApplyOrRecreate => UpdatePolicy::Apply,
            other => other,
        };
    }
    let depends_on_component = settings.reconcile == ReconcilePolicy::OnObjectOrComponentChange;
    let content = manifest.content_digest(depends_on_component.then_some(options.component));
    let applied = Applied::new(content, manifest.settings_digest(), &settings);
    let rank = apply_rank(&manifest.id.group, &manifest.id.kind);
    let Manifest { id, kind, object, .. } = manifest;
    Item { id, version: kind.version, object, applied, settings, part, rank }
}

fn check_count(manifests: &[Manifest], limit: usize) -> Result<(), InvalidManifest> {
    if manifests.len() > limit {
        let problem =
            format!("there are {}, and {limit} are allowed; write `limit = {}`", manifests.len(), manifests.len());
        return Err(InvalidManifest::new("the set", "objects", problem));
    }
    let mut found = HashMap::new();
    for manifest in manifests {
        if let Some(other) = found.insert(&manifest.id, &manifest.kind) {
            let problem = format!("two manifests have it, as {other} and as {}; remove one", manifest.kind);
            return Err(InvalidManifest::new(&manifest.id, "metadata.name", problem));
        }
    }
    Ok(())
}

/// The Services of a set.
struct Services<'a>(Vec<&'a ObjectId>);

impl<'a> Services<'a> {
    fn of(manifests: &'a [Manifest]) -> Self {
        Self(manifests.iter().map(|manifest| &manifest.id).filter(|id| id.is("", "Service")).collect())
    }

    /// Whether one of them answers a webhook of this configuration.
    fn answer(&self, manifest: &Manifest) -> bool {
        if manifest.id.group != "admissionregistration.k8s.io" {
            return false;
        }
        let object = manifest.object.value();
        let webhooks = object["webhooks"].as_array().into_iter().flatten();
        let mut called = webhooks.map(|webhook| &webhook["clientConfig"]["service"]);
        called.any(|called| self.0.iter().any(|id| id.is_service(called)))
    }
}
