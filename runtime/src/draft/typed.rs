//! The author's status behind `dyn Any`: what a draft does with it without its type.

use std::any::Any;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::status::{StatusContract, author_fields};

/// The author's status, typed.
pub(super) type Status = Box<dyn Any + Send + Sync>;

/// The author's fields of a status, by their names on the wire.
pub(super) type Fields = BTreeMap<String, Value>;

/// What can be done with a status of one type.
#[derive(Clone, Copy)]
pub(super) struct Typed {
    pub(super) fields: fn(&(dyn Any + Send + Sync)) -> Result<Fields, serde_json::Error>,
    pub(super) copy: fn(&(dyn Any + Send + Sync)) -> Status,
    /// The status with other author fields.
    pub(super) with: fn(&(dyn Any + Send + Sync), &Fields) -> Result<Status, serde_json::Error>,
}

impl Typed {
    /// For a draft without author fields.
    pub(super) const NONE: Self =
        Self { fields: |_| Ok(Fields::new()), copy: |_| Box::new(()), with: |_, _| Ok(Box::new(())) };

    pub(super) fn of<S: StatusContract>() -> Self {
        Self { fields: fields::<S>, copy: copy::<S>, with: with::<S> }
    }
}

fn fields<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> Result<Fields, serde_json::Error> {
    status.downcast_ref::<S>().map_or_else(|| Ok(Fields::new()), author_fields)
}

fn copy<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> Status {
    Box::new(status.downcast_ref::<S>().cloned().unwrap_or_default())
}

fn with<S: StatusContract>(status: &(dyn Any + Send + Sync), fields: &Fields) -> Result<Status, serde_json::Error> {
    let status = status.downcast_ref::<S>().cloned().unwrap_or_default();
    let ours = author_fields(&status)?;
    let mut value = serde_json::to_value(&status)?;
    if let Value::Object(all) = &mut value {
        all.retain(|name, _| !ours.contains_key(name));
        all.extend(fields.clone());
    }
    Ok(Box::new(serde_json::from_value::<S>(value)?))
}
