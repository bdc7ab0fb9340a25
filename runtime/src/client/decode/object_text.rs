//! One pass over the text of an object: it removes what no reconciler reads, and counts the items of each list.

use std::ops::Range;

use super::capacities::{Capacities, Counter};
use crate::json_scan::{end_of_list, end_of_string};

/// The annotation in which `kubectl apply` stores a copy of the object.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The text of an object, and the number of items of its lists and objects.
#[derive(Debug)]
pub(crate) struct ObjectText {
    pub(crate) text: String,
    pub(super) capacities: Capacities,
}

impl ObjectText {
    /// Reads the text of an object. `strips`: removes the content of `managedFields` and the copy of `kubectl apply`, where the text has no
    /// spaces, as API servers write it. The decoder skips them in any text. A text that is not JSON stays as it is.
    pub(crate) fn of(text: &str, strips: bool) -> Self {
        let mut pass = Pass::new(text, Counter::default());
        match pass.run(strips) {
            Some(()) => Self { text: without(text, &pass.removed), capacities: pass.counter.end() },
            None => Self { text: text.to_owned(), capacities: Capacities::default() },
        }
    }
}

/// Replaces the parts with those of the text of an object that [`ObjectText::of`] removes, in their order.
pub(crate) fn find_unread(text: &str, parts: &mut Vec<Range<usize>>) {
    parts.clear();
    let mut pass = Pass { removed: std::mem::take(parts), ..Pass::new(text, Counter::of_depth()) };
    let is_json = pass.run(true).is_some();
    *parts = pass.removed;
    if !is_json {
        parts.clear();
    }
}

fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len() - removed.iter().map(ExactSizeIterator::len).sum::<usize>());
    let mut from = 0;
    for part in removed {
        kept.push_str(&text[from..part.start]);
        from = part.end;
    }
    kept.push_str(&text[from..]);
    kept
}

/// The state of the pass.
struct Pass<'t> {
    text: &'t str,
    counter: Counter,
    /// The depth up to which keys matter: 1 in the object, 2 in its metadata, 3 in the annotations.
    level: usize,
    removed: Vec<Range<usize>>,
}

impl<'t> Pass<'t> {
    fn new(text: &'t str, counter: Counter) -> Self {
        Self { text, counter, level: 1, removed: Vec::new() }
    }

    /// `None`: the text is not JSON, or too deeply nested.
    fn run(&mut self, strips: bool) -> Option<()> {
        let (text, mut at) = (self.text.as_bytes(), 0);
        while let Some(byte) = text.get(at) {
            match byte {
                b'"' => {
                    let end = end_of_string(text, at)?;
                    let is_key = strips && self.counter.depth() <= self.level && text.get(end + 1) == Some(&b':');
                    at = if is_key { self.key(&text[at + 1..end], end + 2)? } else { end + 1 };
                    continue;
                }
                b'{' | b'[' => self.counter.open(&text[at + 1..])?,
                b'}' | b']' => {
                    self.counter.close()?;
                    self.level = self.level.min(self.counter.depth().max(1));
                }
                b',' => self.counter.comma()?,
                _ => {}
            }
            at += 1;
        }
        Some(())
    }

    /// Handles a key whose value begins here, and returns the position to continue from.
    fn key(&mut self, key: &[u8], value: usize) -> Option<usize> {
        let text = self.text.as_bytes();
        match (self.counter.depth(), key, text.get(value)?) {
            (1, b"metadata", b'{') => self.level = 2,
            (2, b"annotations", b'{') => self.level = 3,
            (2, b"managedFields", b'[') => {
                let end = value + 1 + end_of_list(text.get(value + 1..)?)?;
                // The brackets stay, since a decoder skips an empty list quickly.
                self.counter.empty();
                self.removed.push(value + 1..end);
                return Some(end + 1);
            }
            (3, key, b'"') if key == LAST_APPLIED.as_bytes() => {
                let end = end_of_string(text, value)?;
                self.removed.push(value + 1..end);
                return Some(end + 1);
            }
            _ => {}
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use evenkeel_random_cases::each;
    use serde_json::{Value, json};

    use super::*;

    fn unread(text: &str) -> Vec<Range<usize>> {
        let mut parts = vec![1..2, 3..4];
        find_unread(text, &mut parts);
        parts
    }

    /// Asserts what remains of an object, and that its lists are counted.
    fn assert_kept(object: &Value, kept: &Value) {
        let text = object.to_string();
        let found = ObjectText::of(&text, true);
        assert_eq!(serde_json::from_str::<Value>(&found.text).unwrap(), *kept);
        let counts = |text: &str| format!("{:?}", ObjectText::of(text, false));
        assert_eq!(format!("{found:?}"), counts(&kept.to_string()));
        assert_eq!(ObjectText::of(&text, false).text, text);
        assert_eq!(without(&text, &unread(&text)), found.text);
    }

    fn object(managed: &Value, applied: &str) -> Value {
        let annotations = json!({ "a": "\"", LAST_APPLIED: applied, "z": "\\" });
        json!({
            "kind": "Thing", "managedFields": [0], "annotations": { LAST_APPLIED: "mine" },
            "metadata": {
                "a": { "managedFields": [1], LAST_APPLIED: "mine" }, "labels": { "managedFields": "mine" },
                "annotations": annotations, "managedFields": managed, "z": "\"\\",
            },
            "spec": {
                "metadata": { "managedFields": [4], "annotations": { LAST_APPLIED: "mine" } },
                "managedFields": [5], "text": "\"managedFields\":[",
            },
        })
    }

    #[test]
    fn only_the_metadata_of_the_object_itself_is_stripped() {
        let managed = json!([{ "manager": "a", "fieldsV1": { "f:x": { "k:{\"name\":\"]}\"}": [[]], "é\\": {} } } }]);
        for (managed, applied) in [(&managed, "{\"a\":[\"]\\n\"]}"), (&json!([]), ""), (&json!([{ "a": "b" }]), "\\")] {
            assert_kept(&object(managed, applied), &object(&json!([]), ""));
        }
        let others = object(&json!("text"), "");
        assert_kept(&others, &others);
        let none = json!({ "metadata": { "annotations": null, "managedFields": null } });
        assert_kept(&none, &none);
    }

    #[test]
    fn a_text_that_is_not_an_object_stays() {
        for text in [
            "",
            "7",
            "]]}}\"",
            "{\"metadata\":{\"managedFields\":[",
            "{\"metadata\":{\"managedFields\":[\"",
            "{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/last-applied-configuration\":\"\\",
            "{ \"metadata\" : { \"managedFields\" : [1] } }",
        ] {
            assert_eq!(ObjectText::of(text, true).text, text);
            assert!(unread(text).is_empty());
        }
    }

    #[test]
    fn broken_texts_decode_as_with_serde_json() {
        let text = object(&json!([{ "a": [1] }]), "{\"a\":1}").to_string();
        each(2000, |choices| {
            let mut broken = text.clone().into_bytes();
            for _ in 0..choices.range(1..4) {
                let at = choices.range(0..broken.len());
                broken[at] = b"\"\\{}[]:,a1 "[choices.range(0..11)];
            }
            let broken = String::from_utf8(broken).unwrap();
            let whole = ObjectText::of(&broken, false).text;
            assert_eq!(whole, broken);
            // A fault within a removed value goes unseen, as in a decoder that skips it. Any other is still there.
            let stripped = serde_json::from_str::<Value>(&ObjectText::of(&broken, true).text);
            if let Ok(mut expected) = serde_json::from_str::<Value>(&broken) {
                let mut stripped = stripped.unwrap();
                for object in [&mut expected, &mut stripped] {
                    if let Some(meta) = object["metadata"].as_object_mut() {
                        meta.remove("managedFields");
                        if let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) {
                            annotations.remove(LAST_APPLIED);
                        }
                    }
                }
                assert_eq!(stripped, expected, "{broken}");
            }
        });
    }
}
