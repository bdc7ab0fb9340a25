//! The type-erased status of an object: reads by the engine, and operations on the author's fields during a pass.

use std::any::Any;
use std::collections::BTreeMap;

use serde_json::Value;

use super::contract::StatusContract;
use super::draft::{DraftKey, StatusDraft};
use super::fields::{Fields, author_fields};
use super::inputs::ObservedInputs;
use super::observed_by::ObservedBy;
use super::set_status::SetStatuses;
use crate::condition::Condition;
use crate::kind::from_tree;

/// A status for reading. Each method corresponds to one of [`StatusContract`].
pub(crate) trait AnyStatus {
    fn observed_generation(&self) -> Option<i64>;
    fn conditions(&self) -> &[Condition];
    fn observed_inputs(&self) -> Option<&ObservedInputs>;
    fn last_handled_reconcile_at(&self) -> Option<&str>;
    fn observed_by(&self) -> Option<&BTreeMap<String, ObservedBy>>;
    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>>;
    fn dependents(&self) -> Option<&SetStatuses>;
    /// The author's fields, as JSON.
    fn author_fields(&self) -> Result<Fields, serde_json::Error>;
}

impl<S: StatusContract> AnyStatus for S {
    fn observed_generation(&self) -> Option<i64> {
        StatusContract::observed_generation(self)
    }

    fn conditions(&self) -> &[Condition] {
        StatusContract::conditions(self)
    }

    fn observed_inputs(&self) -> Option<&ObservedInputs> {
        StatusContract::observed_inputs(self)
    }

    fn last_handled_reconcile_at(&self) -> Option<&str> {
        StatusContract::last_handled_reconcile_at(self)
    }

    fn observed_by(&self) -> Option<&BTreeMap<String, ObservedBy>> {
        StatusContract::observed_by(self)
    }

    fn last_handled_actions(&self) -> Option<&BTreeMap<String, String>> {
        StatusContract::last_handled_actions(self)
    }

    fn dependents(&self) -> Option<&SetStatuses> {
        StatusContract::dependents(self)
    }

    fn author_fields(&self) -> Result<Fields, serde_json::Error> {
        author_fields(self)
    }
}

/// The typed draft of the author's status, type-erased.
pub(crate) type Status = Box<dyn Any + Send + Sync>;

/// The operations on a status of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typed {
    pub(crate) fields: fn(&(dyn Any + Send + Sync)) -> Result<Fields, serde_json::Error>,
    pub(crate) copy: fn(&(dyn Any + Send + Sync)) -> Status,
    /// Returns the status with other author fields.
    pub(crate) with: fn(&(dyn Any + Send + Sync), &Fields) -> Result<Status, serde_json::Error>,
}

impl Typed {
    /// The operations for a draft without author fields.
    pub(crate) const NONE: Self =
        Self { fields: |_| Ok(Fields::new()), copy: |_| Box::new(()), with: |_, _| Ok(Box::new(())) };

    pub(crate) fn of<S: StatusContract>() -> Self {
        Self { fields: fields::<S>, copy: copy::<S>, with: with::<S> }
    }

    /// The status in the form in which steps write it.
    pub(crate) fn open<S: StatusContract>(status: S) -> Status {
        Box::new(S::Draft::open(status, &DraftKey::KEY))
    }
}

fn fields<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> Result<Fields, serde_json::Error> {
    let draft = status.downcast_ref::<S::Draft>();
    draft.map_or_else(|| Ok(Fields::new()), |draft| author_fields(&*draft.close()))
}

fn copy<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> Status {
    Typed::open(closed::<S>(status))
}

fn with<S: StatusContract>(status: &(dyn Any + Send + Sync), fields: &Fields) -> Result<Status, serde_json::Error> {
    let status = closed::<S>(status);
    let ours = author_fields(&status)?;
    let value = replaced(serde_json::to_value(&status)?, &ours, fields);
    Ok(Typed::open(from_tree::<S>(&value)?))
}

/// The status with other author fields. Not generic, so that it is compiled once for all kinds.
fn replaced(mut status: Value, ours: &Fields, fields: &Fields) -> Value {
    if let Value::Object(all) = &mut status {
        all.retain(|name, _| !ours.contains_key(name.as_str()));
        all.extend(fields.iter().map(|(name, field)| (name.to_string(), field.value())));
    }
    status
}

/// The current status of its draft.
pub(crate) fn closed<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> S {
    let draft = status.downcast_ref::<S::Draft>();
    draft.map(|draft| draft.close().into_owned()).unwrap_or_default()
}
