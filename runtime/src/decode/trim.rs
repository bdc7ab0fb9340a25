//! Cutting `managedFields` out of the text of an object before anything else reads it: it is nearly half of most objects, and what is not
//! there need be neither counted nor skipped.

use std::borrow::Cow;

use super::shapes::end_of_string;

const FIELD: &str = "\"managedFields\":[";
const META: &str = "\"metadata\":";

/// The text without the `managedFields` of the object's own metadata, where the server writes them as servers do; else as it is.
pub(super) fn trimmed(text: &str) -> Cow<'_, str> {
    match found(text) {
        Some((start, end)) => Cow::Owned([&text[..start], &text[end..]].concat()),
        None => Cow::Borrowed(text),
    }
}

/// From where to where, with the comma that goes with it.
fn found(text: &str) -> Option<(usize, usize)> {
    // In a string the quotes are escaped, so this is a field.
    let start = text.find(FIELD)?;
    let bytes = text.as_bytes();
    if !is_in_metadata(bytes, start)? {
        return None;
    }
    let end = end_of_list(bytes, start + FIELD.len() - 1)?;
    Some(match (bytes.get(end)?, bytes[start - 1]) {
        (b',', _) => (start, end + 1),
        (_, b',') => (start - 1, end),
        _ => (start, end),
    })
}

/// Whether the field that starts there stands in the metadata of the object itself.
fn is_in_metadata(text: &[u8], start: usize) -> Option<bool> {
    let (mut at, mut depth, mut outer) = (0, 0_usize, 0);
    while at < start {
        match text[at] {
            b'"' => at = end_of_string(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                if depth == 2 {
                    outer = at;
                }
            }
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
    Some(depth == 2 && text[..outer].ends_with(META.as_bytes()))
}

/// Past the list that starts there.
fn end_of_list(text: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match text.get(at)? {
            b'"' => at = end_of_string(text, at)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return Some(at + 1),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn without(object: &Value) -> Value {
        let mut object = object.clone();
        object["metadata"].as_object_mut().unwrap().remove("managedFields");
        object
    }

    #[test]
    fn only_the_field_of_the_objects_own_metadata_is_cut_out_wherever_it_stands() {
        let fields = json!([{ "manager": "a", "fieldsV1": { "f:x": { "k:{\"name\":\"]}\"}": [] } } }]);
        for metadata in [
            json!({ "managedFields": fields }),
            json!({ "a": 1, "managedFields": fields }),
            json!({ "managedFields": fields, "z": 1 }),
            json!({ "a": { "b": "\"managedFields\":[" }, "managedFields": fields, "z": 1 }),
        ] {
            let object = json!({ "metadata": metadata, "spec": { "managedFields": [1] } });
            let text = object.to_string();
            let cut = trimmed(&text);
            assert!(matches!(cut, Cow::Owned(_)), "{text}");
            assert_eq!(serde_json::from_str::<Value>(&cut).unwrap(), without(&object));
        }
    }

    #[test]
    fn what_stands_elsewhere_or_otherwise_stays_for_the_decoder() {
        for text in [
            r#"{"managedFields":[1],"metadata":{}}"#,
            r#"{"spec":{"managedFields":[1]},"metadata":{"name":"a"}}"#,
            r#"{"spec":{"metadata":{"managedFields":[1]}}}"#,
            r#"{"metadata": {"managedFields": [1]}}"#,
            r#"{"metadata":{"managedFields":[1"#,
            r#"{"metadata":{"a":"\"managedFields\":["}}"#,
            "7",
        ] {
            assert!(matches!(trimmed(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
