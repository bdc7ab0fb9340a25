//! Namespaces of dependents that do not exist.

use std::collections::BTreeSet;

use serde_json::json;

use super::cause::described;
use super::error::DependentsError;
use super::lookup::Refused;
use crate::api::{ApiError, DependentCalls};
use crate::dependent_rules::manifest::{InvalidManifest, Manifest, ObjectId, Scope};
use crate::dependent_rules::policy::{AdoptionPolicy, MissingNamespacesPolicy, Policies};

/// The namespace that the API server did not find for an object in it.
pub(super) fn missing_namespace(id: &ObjectId, error: &ApiError) -> Option<String> {
    let details = error.status().filter(|_| matches!(error, ApiError::NotFound(_)))?.details.as_ref()?;
    let is_it = details.kind == "namespaces" && Some(&details.name) == id.namespace.as_ref();
    is_it.then(|| details.name.clone())
}

/// The error for an object in a namespace that is not created.
pub(super) fn refused(id: &ObjectId, namespace: &str) -> DependentsError {
    let text = format!("{id}: the namespace {namespace} does not exist; create it, or set `missingNamespaces: create`");
    DependentsError::NamespaceMissing { namespace: namespace.to_owned(), text }
}

/// The error for an object in a namespace that is being deleted.
pub(super) fn terminating(id: &ObjectId, error: &ApiError) -> Option<DependentsError> {
    let namespace = id.namespace.as_ref().filter(|_| error.is_namespace_terminating())?;
    let text = format!("{id}: the namespace {namespace} is being deleted, so nothing can be created in it");
    Some(DependentsError::NamespaceTerminating(text))
}

/// Creates the namespaces that were missing, each once, and returns those that did not exist. Objects that were refused for want of one can
/// be sent again.
pub(super) async fn create_missing(
    calls: &dyn DependentCalls,
    step: &str,
    refused: &mut Refused,
    tried: &mut BTreeSet<String>,
) -> Vec<String> {
    let mut created = Vec::new();
    for name in missing(refused).filter(|name| tried.insert(name.clone())).collect::<Vec<_>>() {
        let is_of_it = |error: &DependentsError| matches!(error, DependentsError::NamespaceMissing { namespace, .. } if *namespace == name);
        match calls.create_namespace(step, &name).await {
            Ok(is_new) => {
                refused.retain(|_, error| !is_of_it(error));
                created.extend(is_new.then_some(name));
            }
            Err(error) => {
                if let Some(first) = refused.values_mut().find(|error| is_of_it(error)) {
                    *first = described(&namespace_id(&name), error).into();
                }
            }
        }
    }
    created
}

/// The namespaces that become dependents of the set, if its policy is that.
pub(super) struct OwnNamespaces {
    is_policy: bool,
    names: BTreeSet<String>,
}

impl OwnNamespaces {
    /// Those that are dependents already.
    pub(super) fn of((calls, step): (&dyn DependentCalls, &str), policies: Policies, manifests: &[Manifest]) -> Self {
        let is_policy = policies.missing_namespaces == Some(MissingNamespacesPolicy::Own);
        let used = manifests.iter().filter_map(|manifest| manifest.id.namespace.clone()).filter(|_| is_policy);
        let names = used.filter(|name| calls.get(step, &namespace_id(name)).is_some()).collect();
        Self { is_policy, names }
    }

    /// Adds those that are missing. Returns whether one is new, so that the set has to be planned again.
    pub(super) fn add(&mut self, missing: impl Iterator<Item = String>) -> bool {
        let before = self.names.len();
        self.names.extend(missing.filter(|_| self.is_policy));
        self.names.len() > before
    }

    /// The manifests with those of the namespaces. Only that policy plans a set more than once, so only then they are needed again.
    pub(super) fn with(&self, manifests: &mut Vec<Manifest>) -> Result<Vec<Manifest>, InvalidManifest> {
        if !self.is_policy {
            return Ok(std::mem::take(manifests));
        }
        let mut all = manifests.clone();
        for name in self.names.iter().filter(|name| !manifests.iter().any(|one| one.id == namespace_id(name))) {
            all.push(namespace(name, manifests)?);
        }
        Ok(all)
    }
}

fn namespace_id(name: &str) -> ObjectId {
    ObjectId { group: String::new(), kind: "Namespace".into(), namespace: None, name: name.to_owned() }
}

/// The manifest of a namespace, which is created before its content and deleted after it.
fn namespace(name: &str, manifests: &[Manifest]) -> Result<Manifest, InvalidManifest> {
    let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    let scope = Scope { namespaced: false, default_namespace: None, prefix: None };
    let mut namespace = Manifest::new(&object, scope)?;
    let content = || manifests.iter().filter(|one| one.id.namespace.as_deref() == Some(name)).map(|one| &one.overrides);
    namespace.overrides.apply_order = content().map(|one| one.apply_order.unwrap_or_default()).min();
    namespace.overrides.delete_order = content().map(|one| one.delete_order.unwrap_or_default()).max();
    // It did not exist a moment ago. If it exists now, another client created it.
    namespace.overrides.adoption = Some(AdoptionPolicy::Never);
    Ok(namespace)
}

/// The namespaces that were missing in a run.
pub(super) fn missing(refused: &Refused) -> impl Iterator<Item = String> + '_ {
    refused.values().filter_map(|error| match error {
        DependentsError::NamespaceMissing { namespace, .. } => Some(namespace.clone()),
        _ => None,
    })
}
