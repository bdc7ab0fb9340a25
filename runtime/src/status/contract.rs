//! The trait of a status that has the framework's fields.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::draft::StatusDraft;
use super::inputs::ObservedInputs;
use super::observed_by::ObservedBy;
use super::set_status::SetStatuses;
use crate::condition::Condition;

/// A status type with the framework's fields. `#[status]` on the struct implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an evenkeel status",
    label = "the fields that the framework manages are missing",
    note = "put `#[evenkeel::status]` on the struct"
)]
pub trait StatusContract: Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The type that [`Cx::status`](crate::Cx::status) returns to a step: the status itself, unless a field is restricted to one step.
    type Draft: StatusDraft<Self>;

    /// The generation of the last final outcome; -1 on a new object.
    fn observed_generation(&self) -> Option<i64>;
    /// All conditions, including those of other writers.
    fn conditions(&self) -> &[Condition];
    /// The record of the last pass.
    fn observed_inputs(&self) -> Option<&ObservedInputs>;
    /// The token of the last requested pass.
    fn last_handled_reconcile_at(&self) -> Option<&str>;
    /// The records of further reconcilers of the kind, by name.
    fn observed_by(&self) -> Option<&BTreeMap<String, ObservedBy>> {
        None
    }
    /// The token that each one-shot action had last, by the name of the action.
    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>>;
    /// The sets of dependents; `None`: the status does not store them.
    #[doc(hidden)]
    fn dependents(&self) -> Option<&SetStatuses> {
        None
    }
}

/// A status that stores the sets of dependents. `#[status(dependents)]` implements it.
#[diagnostic::on_unimplemented(
    message = "the status `{Self}` has no field for the dependents of a step",
    label = "no `dependents` in its `#[status]`",
    note = "write `#[evenkeel::status(dependents)]` on the struct: the kinds of the dependents are stored there before they are created"
)]
pub trait StoresDependents: StatusContract {}

/// The type of a status field. It has a schema for the CRD.
#[diagnostic::on_unimplemented(
    message = "the status field `{Self}` has no schema for the CRD",
    label = "no `JsonSchema`",
    note = "put `#[derive(schemars::JsonSchema)]` on your type; with CEL rules, `#[derive(kube::KubeSchema)]`"
)]
pub trait StatusField: JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> StatusField for T {}

/// The schema of a status field, the same as a derive would generate.
pub fn field_schema<T: StatusField>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
