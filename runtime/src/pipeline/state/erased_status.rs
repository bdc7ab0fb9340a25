//! The author's status behind `dyn Any`: what a draft does with it without its type.

use std::any::Any;

use serde_json::Value;

use crate::status::StatusContract;
use crate::status::draft::{DraftKey, StatusDraft};
use crate::status::fields::{Fields, author_fields};

/// The draft of the author's status, typed.
pub(super) type Status = Box<dyn Any + Send + Sync>;

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

    /// The status in the form in which steps write it.
    pub(super) fn open<S: StatusContract>(status: S) -> Status {
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
    let mut value = serde_json::to_value(&status)?;
    if let Value::Object(all) = &mut value {
        all.retain(|name, _| !ours.contains_key(name.as_str()));
        all.extend(fields.iter().map(|(name, field)| (name.to_string(), field.value())));
    }
    Ok(Typed::open(serde_json::from_value::<S>(value)?))
}

/// The status as it stands in its draft.
pub(super) fn closed<S: StatusContract>(status: &(dyn Any + Send + Sync)) -> S {
    let draft = status.downcast_ref::<S::Draft>();
    draft.map(|draft| draft.close().into_owned()).unwrap_or_default()
}
