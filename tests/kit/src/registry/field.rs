//! A field that field selectors may name.

use serde_json::Value;

/// A field that field selectors may name, and where objects have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectable {
    /// What a selector writes, such as "status.phase".
    pub label: String,
    /// JSON pointers to the value; the first that leads to something non-empty counts.
    pub pointers: Vec<String>,
    /// What a missing value compares as.
    pub absent: Absent,
}

/// What a missing value compares as: what the Go type of the field prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// "", for texts and for every field of a custom kind.
    Empty,
    /// "false".
    False,
    /// "0".
    Zero,
}

impl Selectable {
    /// A text field at the place its label says.
    #[must_use]
    pub fn plain(label: &str) -> Self {
        Self::at(label, &[&pointer(label)], Absent::Empty)
    }

    /// A field elsewhere than its label says.
    #[must_use]
    pub fn at(label: &str, pointers: &[&str], absent: Absent) -> Self {
        Self { label: label.to_owned(), pointers: pointers.iter().map(|&at| at.to_owned()).collect(), absent }
    }

    /// What the object has there, as selectors compare it.
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

/// The JSON pointer of a dotted path, with or without the leading dot.
pub(crate) fn pointer(path: &str) -> String {
    let segments = path.trim_start_matches('.').split('.');
    segments.map(|segment| format!("/{}", segment.replace('~', "~0").replace('/', "~1"))).collect()
}
