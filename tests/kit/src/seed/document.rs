//! The documents of a seed: parsed from text, and sorted by their dependencies.

use serde_json::Value;

use super::error::SeedError;
use crate::strategy::meta;

/// One object, with its position in the seed.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// Counted from 1.
    pub(super) number: usize,
    pub(super) object: Value,
    /// The number of copies with numbered names; `None` for a single object.
    pub(super) times: Option<usize>,
}

impl Document {
    /// Returns the document, with a number that counts this many documents before it.
    pub(super) fn after(self, others: usize) -> Self {
        Self { number: self.number + others, ..self }
    }

    /// Returns kind, namespace and name, such as `Widget paint/w`.
    pub(super) fn title(&self, namespace: Option<&str>) -> String {
        let kind = self.object["kind"].as_str().unwrap_or("object without a kind");
        let name = [meta(&self.object, "name"), meta(&self.object, "generateName")];
        let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or("without a name");
        match namespace {
            Some(namespace) => format!("{kind} {namespace}/{name}"),
            None => format!("{kind} {name}"),
        }
    }

    /// Returns the position in the order of creation: CRDs, namespaces, all other objects.
    pub(super) fn rank(&self) -> usize {
        match self.object["kind"].as_str() {
            Some("CustomResourceDefinition") => 0,
            Some("Namespace") => 1,
            _ => 2,
        }
    }
}

/// Parses the documents of a text, separated by lines of `---`. Empty documents are skipped.
pub(super) fn read(text: &str) -> Result<Vec<Document>, SeedError> {
    let mut documents = Vec::new();
    for text in split(text) {
        let number = documents.len() + 1;
        let value = serde_saphyr::from_str::<Value>(&text);
        let value = value.map_err(|error| SeedError::unread(number, error.to_string().trim_end().to_owned()))?;
        documents.extend(unpack(value, number));
    }
    Ok(documents)
}

fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for line in text.lines() {
        let is_mark = line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty() || rest.starts_with(" #"));
        match (is_mark, parts.last_mut()) {
            (false, Some(part)) => part.extend([line, "\n"]),
            _ => parts.push(String::new()),
        }
    }
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    parts.retain(|part| !part.lines().all(is_blank));
    parts
}

/// Returns the objects of a list or an array, or the single object.
pub(super) fn unpack(value: Value, number: usize) -> Vec<Document> {
    let objects = match value {
        Value::Array(objects) => objects,
        Value::Object(mut list) if list.get("kind").is_some_and(|kind| kind == "List") => match list.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        object => vec![object],
    };
    objects.into_iter().zip(number..).map(|(object, number)| Document { number, object, times: None }).collect()
}
