//! The status contract: the fields that the framework keeps beside the author's.

pub(crate) mod desired;
pub(crate) mod draft;
pub(crate) mod erased;
pub(crate) mod fields;
pub(crate) mod observed;
pub(crate) mod operation;
pub mod request;

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use self::draft::StatusDraft;
use self::observed::ObservedBy;
use crate::condition::Condition;
use crate::wiring::Wiring;
use crate::wiring::policy::Policy;

/// What a restart must know to leave an unchanged object alone. Written only when it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ObservedInputs {
    /// Hash of the wiring that ran last.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub wiring: String,
    /// Hash of all that the last pass depended on; `not-final` after a pass that waits, failed or is to run again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// The objects that the last pass asked for by name: `v1/Secret/team-a/token`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The policy of the last pass: `manage`, `skip`, `detach-on-delete`, or `unknown`.
    // In memory `manage` is an empty text, as nearly all objects have it.
    #[serde(skip_serializing_if = "String::is_empty", deserialize_with = "unless_managed")]
    pub policy: String,
    /// Labels and annotations that the controller set itself: `labels/example.com/tier`. A change of one triggers a reconcile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<String>,
}

/// The digest of an outcome that is not final: no hash is like it. It is written, since a field that is left out stays where another manager
/// holds it.
pub(crate) const NOT_FINAL: &str = "not-final";

/// Stands for the hash of the wiring in a status that a patch wrote, until server-side apply owns its fields.
pub(crate) const PATCHED: &str = "patched";

impl ObservedInputs {
    /// Whether the last outcome was final: the digest is one.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(&*self.digest, "" | NOT_FINAL)
    }

    /// The same as after a pass whose outcome is not final.
    pub(crate) fn not_final(self) -> Self {
        Self { digest: NOT_FINAL.to_owned(), ..self }
    }

    /// The same, written by a patch.
    pub(crate) fn patched(self) -> Self {
        Self { wiring: PATCHED.to_owned(), ..self.not_final() }
    }
}

/// `manage` as it is stored: nothing, as most objects have it.
pub(crate) fn unless_managed<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let policy = String::deserialize(deserializer)?;
    Ok(if policy == Policy::Manage.as_str() { String::new() } else { policy })
}

/// A status type with the framework's fields. `#[status]` on the struct implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an evenkeel status",
    label = "the fields that the framework keeps are missing",
    note = "put `#[evenkeel::status]` on the struct"
)]
pub trait StatusContract: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What [`Cx::status`](crate::Cx::status) gives to a step: the status itself, unless a field is restricted to one step.
    type Draft: StatusDraft<Self>;

    /// The generation that the last final outcome is for; -1 on a fresh object.
    fn observed_generation(&self) -> Option<i64>;
    /// All conditions, those of other writers included.
    fn conditions(&self) -> &[Condition];
    /// What the last pass saw.
    fn observed_inputs(&self) -> Option<&ObservedInputs>;
    /// The token of the last pass that was asked for.
    fn last_handled_reconcile_at(&self) -> Option<&str>;
    /// What further reconcilers of the kind keep, by name.
    fn observed_by(&self) -> Option<&BTreeMap<String, ObservedBy>> {
        None
    }
    /// The token that each one-shot action held last, by the name of the action.
    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>>;
}

/// The type of a status field. It has a schema, which stands in the CRD.
#[diagnostic::on_unimplemented(
    message = "the status field `{Self}` has no schema for the CRD",
    label = "no `JsonSchema`",
    note = "put `#[derive(schemars::JsonSchema)]` on your type; with CEL rules, `#[derive(kube::KubeSchema)]`"
)]
pub trait StatusField: JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> StatusField for T {}

/// The schema of a status field, as a derive would have it.
pub fn field_schema<T: StatusField>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The fields of a status that belong to the framework, as they stand on the wire.
pub(crate) const FRAMEWORK_FIELDS: [&str; 6] =
    ["observedGeneration", "conditions", "observedInputs", "lastHandledReconcileAt", HANDLED_ACTIONS, OBSERVED_BY];

/// The field of further reconcilers of a kind.
pub(crate) const OBSERVED_BY: &str = "observedBy";

/// The field that is written only where a step declares actions.
pub(crate) const HANDLED_ACTIONS: &str = "lastHandledActions";

/// The fields that the framework keeps in the status of this reconciler.
pub(crate) fn kept_fields(wiring: &Wiring) -> impl Iterator<Item = &'static str> + use<> {
    let (has_actions, is_second) = (wiring.actions().next().is_some(), wiring.summary.is_some());
    let is_needed = move |field: &str| (has_actions || field != HANDLED_ACTIONS) && (is_second || field != OBSERVED_BY);
    FRAMEWORK_FIELDS.into_iter().filter(move |field| is_needed(field))
}
