//! The columns of custom kinds: those of the CRD, or only the age.

use serde_json::Value;

use super::column::{CREATED, Column, Source};
use super::path::Path;
use crate::registry;

/// The name, followed by the columns of the CRD.
pub(super) fn columns(defined: &[registry::Column]) -> Vec<Column> {
    let mut columns = vec![Column::name()];
    if defined.is_empty() {
        let source = Source::Path(Path::parse(".metadata.creationTimestamp"));
        let age = Column { type_: "date".to_owned(), source, ..Column::known("Age", CREATED, |_, _| Value::Null) };
        columns.push(age);
    }
    columns.extend(defined.iter().map(column));
    columns
}

fn column(defined: &registry::Column) -> Column {
    let path = &defined.json_path;
    let description = match defined.description.as_str() {
        "" => format!("Custom resource definition column (in JSONPath format): {path}"),
        text => text.to_owned(),
    };
    Column {
        name: defined.name.clone(),
        type_: defined.type_.clone(),
        format: defined.format.clone(),
        description,
        priority: defined.priority,
        source: Source::Path(Path::parse(path)),
    }
}
