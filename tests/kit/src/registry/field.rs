//! A field that field selectors support.

use serde_json::Value;

/// A field that field selectors support, and its location in objects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selectable {
    /// The name in selectors, such as "status.phase".
    pub label: String,
    /// JSON pointers to the value; the first non-empty value counts.
    pub pointers: Vec<String>,
    /// The value that selectors compare if the field is absent.
    pub absent: Absent,
}

/// The value that selectors compare if the field is absent: the printed zero value of the Go type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absent {
    /// "", for string fields and for all fields of custom kinds.
    Empty,
    /// "false".
    False,
    /// "0".
    Zero,
}

impl Selectable {
    /// A string field whose label is its path.
    #[must_use]
    pub fn plain(label: &str) -> Self {
        Self::at(label, &[&pointer(label)], Absent::Empty)
    }

    /// A field whose path differs from its label.
    #[must_use]
    pub fn at(label: &str, pointers: &[&str], absent: Absent) -> Self {
        Self { label: label.to_owned(), pointers: pointers.iter().map(|&at| at.to_owned()).collect(), absent }
    }

    /// The value in the object as selectors compare it.
    #[must_use]
    pub fn value(&self, object: &Value) -> String {
        let found = self.pointers.iter().filter_map(|at| object.pointer(at)).filter_map(print);
        found.into_iter().find(|text| !text.is_empty()).unwrap_or_else(|| self.absent.text().to_owned())
    }
}

impl Absent {
    fn text(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::False => "false",
            Self::Zero => "0",
        }
    }
}

fn print(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The JSON pointer for a dotted path, with or without a leading dot.
pub(crate) fn pointer(path: &str) -> String {
    let segments = path.trim_start_matches('.').split('.');
    segments.map(|segment| format!("/{}", segment.replace('~', "~0").replace('/', "~1"))).collect()
}
