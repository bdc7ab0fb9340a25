//! One object of a set, with its settings.

use std::time::Duration;

use serde_json::{Value, json};

use crate::dependency::StatusHints;
use crate::dependent_rules::manifest::{Digest, InvalidManifest, JsonText, Manifest, Scope};
use crate::dependent_rules::policy::{AdoptionPolicy, DeletePolicy, Overrides, ReconcilePolicy, UpdatePolicy};
use crate::wiring::KindInfo;

/// The annotation with the status hints of an object.
const STATUS_HINT: &str = "evenkeel.dev/status-hint";

/// The annotation with the delete policy of an object.
const DELETE_POLICY: &str = "evenkeel.dev/delete-policy";

/// One object that a step wants, and what the code sets for it.
///
/// An annotation of the object takes precedence over each of these methods.
#[derive(Debug)]
pub struct Entry {
    kind: KindInfo,
    /// Null while the object is a text.
    object: Value,
    /// The object while nothing changes it.
    text: Option<JsonText>,
    invalid: Option<InvalidManifest>,
    overrides: Overrides,
}

impl Entry {
    pub(super) fn new(kind: KindInfo, object: Result<Value, InvalidManifest>) -> Self {
        let (object, invalid) = match object {
            Ok(object) => (object, None),
            Err(invalid) => (Value::Null, Some(invalid)),
        };
        Self { kind, object, text: None, invalid, overrides: Overrides::default() }
    }

    /// The entry of a rendered object.
    #[cfg(feature = "templates")]
    pub(super) fn rendered(kind: KindInfo, object: JsonText) -> Self {
        Self { kind, object: Value::Null, text: Some(object), invalid: None, overrides: Overrides::default() }
    }

    /// Reduces the object to its text, since the next one is added.
    pub(super) fn pack(&mut self) {
        if self.text.is_some() {
            return;
        }
        let object = self.object.take();
        self.text = JsonText::of(&object);
        if self.text.is_none() {
            let name = object["metadata"]["name"].as_str().unwrap_or_default();
            let object = format!("{} {name}", self.kind.resource.kind);
            self.invalid = Some(InvalidManifest::new(object, "the object", "it has more than 120 levels"));
        }
    }

    /// Its kind.
    pub(super) const fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// The object, to be changed. Its `apiVersion` and `kind` are those of its kind, whatever is set here.
    pub fn object(&mut self) -> &mut Value {
        if let Some(text) = self.text.take() {
            self.object = text.value();
        }
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

    /// What its manifest depends on.
    pub(super) fn input(&self) -> Digest {
        let Self { kind, object, text, overrides, invalid } = self;
        let settings = format!("{kind:?} {overrides:?} {}", invalid.is_some());
        let object = match text {
            None => Digest::of_bytes(object.to_string()),
            Some(text) => Digest::of_bytes(text.text()),
        };
        Digest::of_all([Digest::of_bytes(settings), object])
    }

    /// The manifest in normal form.
    pub(super) fn manifest(self, namespace: Option<&str>, prefix: Option<&str>) -> Result<Manifest, InvalidManifest> {
        let Self { kind, object, text, invalid, overrides } = self;
        if let Some(invalid) = invalid {
            return Err(invalid);
        }
        let mut object = text.map_or(object, |text| text.value());
        if !object.is_object() {
            return Err(InvalidManifest::new(
                format!("a {}", kind.resource.kind),
                "the object",
                "it is no map of fields",
            ));
        }
        object["apiVersion"] = json!(kind.resource.api_version);
        object["kind"] = json!(kind.resource.kind);
        if let Some(hints) = &overrides.hints {
            // The watch reads them from the object.
            annotate(&mut object, STATUS_HINT, &hints.to_string());
        }
        if let Some(delete) = overrides.delete {
            // At the end it decides alone, whatever the policies of the component are then.
            annotate(&mut object, DELETE_POLICY, delete.as_str());
        }
        let scope = Scope { namespaced: kind.namespaced, default_namespace: namespace, prefix };
        let mut manifest = Manifest::new(&object, scope)?;
        manifest.overrides = manifest.overrides.or(overrides);
        Ok(manifest)
    }
}

/// Adds an annotation, unless the object has it.
pub(super) fn annotate(object: &mut Value, annotation: &str, value: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    let meta = fields.entry("metadata").or_insert_with(|| json!({}));
    let Some(meta) = meta.as_object_mut() else { return };
    let annotations = meta.entry("annotations").or_insert_with(|| json!({}));
    if annotations.is_null() {
        *annotations = json!({});
    }
    if let Some(annotations) = annotations.as_object_mut() {
        annotations.entry(annotation).or_insert_with(|| json!(value));
    }
}
