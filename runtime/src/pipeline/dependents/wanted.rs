//! The objects that a step wants.

use std::marker::PhantomData;
use std::time::Duration;

use serde_json::{Value, json};

use crate::dependency::StatusHints;
use crate::dependent_rules::manifest::{InvalidManifest, Manifest, Scope};
use crate::dependent_rules::policy::{AdoptionPolicy, DeletePolicy, Overrides, ReconcilePolicy, UpdatePolicy};
use crate::pipeline::permission::DependentOf;
use crate::wiring::{Kind, KindInfo};

/// The objects that the step `S` wants in the cluster. [`Cx::wanted`](crate::Cx::wanted) makes it, [`Cx::converge`](crate::Cx::converge)
/// takes it.
#[derive(Debug)]
pub struct Wanted<S> {
    entries: Vec<Entry>,
    step: PhantomData<fn() -> S>,
}

/// One object that a step wants, and what the code sets for it.
///
/// An annotation of the object takes precedence over each of these methods.
#[derive(Debug)]
pub struct Entry {
    kind: KindInfo,
    object: Result<Value, InvalidManifest>,
    overrides: Overrides,
}

impl<S> Wanted<S> {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), step: PhantomData }
    }

    /// Adds an object.
    ///
    /// Without a namespace, an object of a namespaced kind gets that of the component.
    ///
    /// ```ignore
    /// let mut wanted = cx.wanted();
    /// wanted.add(&settings);
    /// wanted.add(&deployment).apply_order(1).delete(DeletePolicy::Orphan);
    /// ```
    pub fn add<K: Kind + DependentOf<S>>(&mut self, object: &K) -> &mut Entry {
        let kind = KindInfo::of::<K>();
        let invalid = |error: serde_json::Error| {
            let name = object.meta().name.clone().unwrap_or_default();
            InvalidManifest::new(
                format!("{} {name}", kind.resource.kind),
                "the object",
                format!("it is not JSON: {error}"),
            )
        };
        let object = serde_json::to_value(object).map_err(invalid);
        self.push(Entry { kind, object, overrides: Overrides::default() })
    }

    fn push(&mut self, entry: Entry) -> &mut Entry {
        let at = self.entries.len();
        self.entries.push(entry);
        &mut self.entries[at]
    }

    pub(super) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }
}

impl Entry {
    /// The wave in which the object is applied; 0 unless set. A wave starts when all objects of the one before are ready.
    pub fn apply_order(&mut self, wave: i16) -> &mut Self {
        self.overrides.apply_order = Some(wave);
        self
    }

    /// The wave in which the object is deleted; 0 unless set.
    pub fn delete_order(&mut self, wave: i16) -> &mut Self {
        self.overrides.delete_order = Some(wave);
        self
    }

    /// The wave after which the object is deleted although it is wanted; never unless set. It is not created again until its manifest changes.
    pub fn purge_order(&mut self, wave: i16) -> &mut Self {
        self.overrides.purge_order = Some(wave);
        self
    }

    /// What happens if the object exists and is not a dependent of the component.
    pub fn adopt(&mut self, policy: AdoptionPolicy) -> &mut Self {
        self.overrides.adoption = Some(policy);
        self
    }

    /// Which changes cause an update.
    pub fn reconcile(&mut self, policy: ReconcilePolicy) -> &mut Self {
        self.overrides.reconcile = Some(policy);
        self
    }

    /// How the object is updated.
    pub fn update(&mut self, policy: UpdatePolicy) -> &mut Self {
        self.overrides.update = Some(policy);
        self
    }

    /// Whether the object is deleted when it is no longer wanted.
    pub fn delete(&mut self, policy: DeletePolicy) -> &mut Self {
        self.overrides.delete = Some(policy);
        self
    }

    /// The time after which the object is applied again although nothing has changed; never unless set.
    pub fn reapply(&mut self, interval: Duration) -> &mut Self {
        self.overrides.reapply = Some(interval);
        self
    }

    /// What the controller of the kind always sets, so that an object without it is not ready yet.
    pub fn hints(&mut self, hints: StatusHints) -> &mut Self {
        self.overrides.hints = Some(hints);
        self
    }

    /// The manifest in normal form.
    pub(super) fn manifest(self, namespace: Option<&str>) -> Result<Manifest, InvalidManifest> {
        let Self { kind, object, overrides } = self;
        let mut object = object?;
        object["apiVersion"] = json!(kind.resource.api_version);
        object["kind"] = json!(kind.resource.kind);
        let scope = Scope { namespaced: kind.namespaced, default_namespace: namespace, prefix: None };
        let mut manifest = Manifest::new(&object, scope)?;
        manifest.overrides = manifest.overrides.or(overrides);
        Ok(manifest)
    }
}
