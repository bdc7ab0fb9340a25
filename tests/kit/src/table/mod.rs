//! Tables: objects as the rows that `kubectl get` prints.

mod age;
mod builtin;
mod cell;
mod column;
mod custom;
mod path;
mod pod;
mod workload;

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::clock::Clock;
use crate::registry::Kind;
use column::Column;

/// The part of the object that a row includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    Metadata,
    Object,
}

/// The requested form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`.
    pub(crate) api_version: &'static str,
    /// `None` if the query has an unknown value.
    pub(crate) include: Option<Include>,
    /// The clock that determines ages.
    pub(crate) clock: Clock,
}

/// Whether the table includes the column definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heads {
    Shown,
    /// Only the first event of a watch includes them.
    Known,
}

/// Prints objects of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Printer {
    columns: Vec<Column>,
    form: Form,
}

impl Printer {
    pub(crate) fn new(kind: &Kind, form: Form) -> Self {
        let columns = match kind.custom() {
            Some(custom) => custom::columns(&custom.columns),
            None => builtin::columns(&kind.group, &kind.kind),
        };
        Printer { columns, form }
    }

    /// The table of these objects.
    pub(crate) fn table(&self, metadata: &Value, objects: &[Cow<'_, Value>], heads: Heads) -> Value {
        let columns: Option<Vec<Value>> =
            (heads == Heads::Shown).then(|| self.columns.iter().map(Column::definition).collect());
        let rows: Vec<Value> = objects.iter().map(|object| self.row(object)).collect();
        json!({"kind": "Table", "apiVersion": self.form.api_version, "metadata": metadata,
            "columnDefinitions": columns, "rows": rows})
    }

    /// The table of one object or one watch event.
    pub(crate) fn single(&self, object: &Value, heads: Heads) -> Value {
        let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
        self.table(&metadata, &[Cow::Borrowed(object)], heads)
    }

    fn row(&self, object: &Value) -> Value {
        let now = self.form.clock.now();
        let cells: Vec<Value> = self.columns.iter().map(|column| column.cell(object, now)).collect();
        let object = match self.form.include {
            Some(Include::Metadata) => {
                json!({"kind": "PartialObjectMetadata", "apiVersion": self.form.api_version, "metadata": object["metadata"]})
            }
            Some(Include::Object) => object.clone(),
            Some(Include::Nothing) | None => Value::Null,
        };
        json!({"cells": cells, "object": object})
    }
}

impl Include {
    /// Parses `includeObject` of a query; `None` if the value is unknown.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "Metadata" => Some(Self::Metadata),
            "None" => Some(Self::Nothing),
            "Object" => Some(Self::Object),
            _ => None,
        }
    }
}
