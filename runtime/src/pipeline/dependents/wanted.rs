//! The objects that a step wants.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

#[cfg(feature = "templates")]
use serde::Serialize;
use serde_json::{Value, json};

#[cfg(feature = "templates")]
use super::rendering::Rendering;
#[cfg(feature = "templates")]
use super::result::Renders;
#[cfg(feature = "templates")]
use super::templates::Templates;
use crate::dependency::StatusHints;
use crate::dependent_rules::manifest::{InvalidManifest, Manifest, Scope};
use crate::dependent_rules::policy::{AdoptionPolicy, DeletePolicy, Overrides, ReconcilePolicy, UpdatePolicy};
use crate::pipeline::permission::DependentOf;
use crate::wiring::{Kind, KindInfo};

/// The objects that the step `S` wants in the cluster. [`Cx::wanted`](crate::Cx::wanted) makes it, [`Cx::converge`](crate::Cx::converge)
/// takes it.
pub struct Wanted<S> {
    pub(super) parts: WantedParts,
    step: PhantomData<fn() -> S>,
}

/// What a set consists of, whatever its step.
#[derive(Default)]
pub(super) struct WantedParts {
    pub(super) entries: Vec<Entry>,
    #[cfg(feature = "templates")]
    pub(super) renderings: Vec<Rendering>,
    pub(super) changes: Vec<Change>,
}

/// A change of each object of a set.
pub(super) type Change = Box<dyn Fn(&mut Entry) + Send>;

/// One object that a step wants, and what the code sets for it.
///
/// An annotation of the object takes precedence over each of these methods.
#[derive(Debug)]
pub struct Entry {
    kind: KindInfo,
    object: Value,
    invalid: Option<InvalidManifest>,
    overrides: Overrides,
}

impl<S> Wanted<S> {
    pub(super) fn new() -> Self {
        Self { parts: WantedParts::default(), step: PhantomData }
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
        let entry = Entry::new(kind, object);
        let at = self.parts.entries.len();
        self.parts.entries.push(entry);
        &mut self.parts.entries[at]
    }

    /// Adds the objects that the templates print.
    ///
    /// Each field of `values` is a variable of the templates. The values are serialized at once; the templates are rendered in
    /// [`Cx::converge`](crate::Cx::converge). It fails with [`RenderFailed`](super::DependentsError::RenderFailed) if a template cannot be
    /// rendered.
    ///
    /// ```ignore
    /// let mut wanted = cx.wanted();
    /// wanted.render(&MANIFESTS, &json!({ "name": shop.name_any(), "spec": shop.spec }));
    /// ```
    #[cfg(feature = "templates")]
    pub fn render<V: Serialize + ?Sized>(&mut self, templates: &'static Templates, values: &V) -> &mut Self
    where
        S: Renders,
    {
        let is_declared = S::TEMPLATES.iter().any(|declared| declared.is(templates));
        self.parts.renderings.push(Rendering::new(templates, values, is_declared));
        self
    }

    /// Changes each object of the set, with those that are rendered or added later.
    ///
    /// Changes run in their order, in [`Cx::converge`](crate::Cx::converge).
    ///
    /// ```ignore
    /// wanted.each(&shop.spec.labels, |entry, labels| {
    ///     entry.object()["metadata"]["labels"]["team"] = json!(labels.team);
    /// });
    /// ```
    pub fn each<V: Clone + Send + 'static>(&mut self, values: &V, change: fn(&mut Entry, &V)) -> &mut Self {
        let values = values.clone();
        self.parts.changes.push(Box::new(move |entry| change(entry, &values)));
        self
    }
}

impl<S> fmt::Debug for Wanted<S> {
    /// Without the objects, which may be Secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wanted").field("entries", &self.parts.entries.len()).finish_non_exhaustive()
    }
}

impl Entry {
    pub(super) fn new(kind: KindInfo, object: Result<Value, InvalidManifest>) -> Self {
        let (object, invalid) = match object {
            Ok(object) => (object, None),
            Err(invalid) => (Value::Null, Some(invalid)),
        };
        Self { kind, object, invalid, overrides: Overrides::default() }
    }

    /// The object, to be changed. Its `apiVersion` and `kind` are those of its kind, whatever is set here.
    pub fn object(&mut self) -> &mut Value {
        &mut self.object
    }

    /// Whether the object cannot be applied, so that there is nothing to change.
    pub(super) const fn is_invalid(&self) -> bool {
        self.invalid.is_some()
    }

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
        let Self { kind, mut object, invalid, overrides } = self;
        if let Some(invalid) = invalid {
            return Err(invalid);
        }
        if !object.is_object() {
            return Err(InvalidManifest::new(
                format!("a {}", kind.resource.kind),
                "the object",
                "it is no map of fields",
            ));
        }
        object["apiVersion"] = json!(kind.resource.api_version);
        object["kind"] = json!(kind.resource.kind);
        let scope = Scope { namespaced: kind.namespaced, default_namespace: namespace, prefix: None };
        let mut manifest = Manifest::new(&object, scope)?;
        manifest.overrides = manifest.overrides.or(overrides);
        Ok(manifest)
    }
}
