//! YAML with any number of documents, parsed as kubectl parses it.

use serde::de::DeserializeOwned;
#[cfg(feature = "templates")]
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::{Budget, Error, Options};

#[cfg(feature = "templates")]
use crate::dependent_rules::manifest::JsonText;

/// The most documents of one file; a set has at most 10,000 objects unless its step says otherwise.
const DOCUMENTS: usize = 100_000;

/// The most values of one file.
const NODES: usize = 10_000_000;

/// The line, and the cause without content of the text.
pub(crate) type InvalidYaml = (Option<u64>, String);

/// The documents of a text that are not empty. The items of a `List` are documents of their own.
///
/// # Errors
/// The text is no YAML.
#[cfg(any(test, feature = "cli", feature = "programs"))]
pub(crate) fn documents(text: &str) -> Result<Vec<Value>, InvalidYaml> {
    let documents: Vec<Value> = parsed(text)?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).flat_map(items).collect())
}

/// The same as texts, each made as soon as its document is parsed.
///
/// # Errors
/// The same. A document is no object, or has too many levels.
#[cfg(feature = "templates")]
pub(crate) fn document_texts(text: &str) -> Result<Vec<JsonText>, InvalidYaml> {
    let documents: Vec<Document> = parsed(text)?;
    let all = documents.into_iter().flat_map(|Document(items)| items);
    all.collect::<Result<_, &str>>().map_err(|problem| (None, problem.to_owned()))
}

/// The objects of one document.
#[cfg(feature = "templates")]
struct Document(Vec<Result<JsonText, &'static str>>);

#[cfg(feature = "templates")]
impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Value::deserialize(deserializer)?;
        let objects = if document.is_null() { Vec::new() } else { items(document) };
        let text = |object: &Value| match object.is_object() {
            true => JsonText::of(object).ok_or("a document has more than 120 levels"),
            false => Err("a document is no object; write `apiVersion`, `kind` .."),
        };
        Ok(Self(objects.iter().map(text).collect()))
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, InvalidYaml> {
    let mut options = Options::default();
    options.budget = Some(budget());
    options.legacy_octal_numbers = true;
    options.strict_booleans = false;
    options.with_snippet = false;
    let failed = |error: Error| (error.location().map(|location| location.line()), cause(&error));
    serde_saphyr::from_multiple_with_options(text, options).map_err(failed)
}

fn budget() -> Budget {
    let mut budget = Budget::default();
    budget.max_documents = DOCUMENTS;
    budget.max_nodes = NODES;
    budget.max_events = NODES.saturating_mul(2);
    budget
}

/// What is wrong, without values of the text: they may be those of a Secret.
fn cause(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("the key {key} is there twice"),
        Error::NonFiniteFloat { .. } => "a number is not finite".into(),
        // Only these messages of the parser are about its grammar.
        Error::Message { msg, .. } if !msg.contains(['"', '`']) => msg.clone(),
        _ => "it is no valid YAML".into(),
    }
}

/// The document, or the items of the list that it is.
fn items(document: Value) -> Vec<Value> {
    let is_list = document["kind"] == "List" && document["apiVersion"] == "v1" && document["items"].is_array();
    match document {
        Value::Object(mut list) if is_list => match list.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        },
        document => vec![document],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_booleans_are_those_of_kubectl() {
        let found = documents("mode: 0644\non: yes\nquoted: \"0644\"\nsize: 1.5\n").unwrap();
        assert_eq!(found, [json!({ "mode": 420, "on": true, "quoted": "0644", "size": 1.5 })]);
    }

    #[test]
    fn empty_documents_are_skipped() {
        assert_eq!(documents("---\n# nothing\n---\n\n---\na: 1\n---\n").unwrap(), [json!({ "a": 1 })]);
        assert!(documents("").unwrap().is_empty());
    }

    #[test]
    fn a_list_is_taken_apart() {
        let list = "apiVersion: v1\nkind: List\nitems:\n- a: 1\n- b: 2\n---\nc: 3\n";
        assert_eq!(documents(list).unwrap(), [json!({ "a": 1 }), json!({ "b": 2 }), json!({ "c": 3 })]);
    }

    #[test]
    fn more_documents_than_a_parser_expects_are_read() {
        let text = "---\na: 1\n".repeat(5000);
        assert_eq!(documents(&text).unwrap().len(), 5000);
    }

    #[test]
    fn an_error_has_a_line_and_no_content() {
        let error = |text| documents(text).unwrap_err();
        assert_eq!(error("a: 1\na: 2\n"), (Some(2), "the key a is there twice".into()));
        for text in ["a: \"s3cret\"x\"", "a: [s3cret", "a: s3cret: b", "a: 's3cret\n", "a: *s3cret", "a: !!int s3cret"]
        {
            if let Err((line, cause)) = documents(text) {
                assert!(line.is_some() && !cause.contains("s3cret"), "{text}: {cause}");
            }
        }
    }
}
