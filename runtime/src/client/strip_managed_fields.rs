//! Removal of `managedFields` from lists before anything parses them. They are nearly half of most objects. Removed bytes need not be
//! counted, skipped or buffered until the list is decoded.

use std::collections::VecDeque;

use bytes::Bytes;
use tower::BoxError;

use super::filtered_body::BodyFilter;
use crate::json_scan::{quote_or_backslash, simple_end_of_list};

/// The part of the document that contains a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// The list itself.
    #[default]
    Root,
    Items,
    Object,
    Metadata,
    Other,
}

/// The relevant keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    Items,
    Metadata,
    ManagedFields,
    #[default]
    Other,
}

/// The length of the longest relevant key.
const LONGEST: usize = "managedFields".len();
/// The depth of the metadata of a list item.
const LEVELS: usize = 4;

/// The kind of the current string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    None,
    Key,
    Other,
}

/// Empties the `managedFields` of the objects in a list as it arrives. The fields are the position in the JSON between frames.
/// Anything that is not JSON passes unchanged.
#[derive(Default)]
pub(super) struct Scan {
    /// The number of open brackets.
    depth: usize,
    /// The contents of the open brackets, the outermost first.
    places: [Place; LEVELS],
    /// The key of the next value.
    key: Key,
    /// Whether the next string is a key.
    wants_key: bool,
    text: Text,
    escaped: bool,
    /// The part of the key that has arrived.
    name: Vec<u8>,
    /// The number of open lists inside the list that is being removed.
    skipped: Option<usize>,
}

impl BodyFilter for Scan {
    /// Passes on everything that is not removed.
    fn feed(&mut self, bytes: Bytes, out: &mut VecDeque<Bytes>) -> Result<(), BoxError> {
        let (mut from, mut at) = (self.skipped.is_none().then_some(0), 0);
        while at < bytes.len() {
            if self.text != Text::None {
                at = self.read_text(&bytes, at);
                continue;
            }
            if self.skipped.is_some() {
                at = self.skip(&bytes, at);
                from = self.skipped.is_none().then_some(at);
                continue;
            }
            at = self.read_structure(&bytes, at);
            if self.skipped.is_some() {
                // The brackets stay, since a decoder skips an empty list quickly.
                out.extend(from.take().map(|from| bytes.slice(from..at)));
                if let Some(end) = simple_end_of_list(&bytes[at..]) {
                    at += end;
                    (self.skipped, from) = (None, Some(at));
                }
            }
        }
        out.extend(from.filter(|from| *from < bytes.len()).map(|from| bytes.slice(from..)));
        Ok(())
    }
}

impl Scan {
    /// Reads to the next string, into a list that is removed, or to the end of the frame.
    fn read_structure(&mut self, bytes: &[u8], start: usize) -> usize {
        for (at, byte) in bytes.iter().enumerate().skip(start) {
            match byte {
                b'"' => {
                    self.text = if self.wants_key { Text::Key } else { Text::Other };
                    self.name.clear();
                    return at + 1;
                }
                bracket @ (b'{' | b'[') => {
                    self.open(*bracket);
                    if self.skipped.is_some() {
                        return at + 1;
                    }
                }
                b'}' | b']' => self.close(),
                b',' => self.wants_key = self.has_keys(),
                b':' => self.wants_key = false,
                _ => {}
            }
        }
        bytes.len()
    }

    /// Reads to the end of the string, or of the frame.
    fn read_text(&mut self, bytes: &[u8], start: usize) -> usize {
        let mut at = start + usize::from(std::mem::take(&mut self.escaped));
        while let Some(found) = quote_or_backslash(&bytes[at..]) {
            at += found + 1;
            if bytes[at - 1] == b'"' {
                self.end_text(&bytes[start..at - 1]);
                return at;
            }
            if at == bytes.len() {
                self.escaped = true;
                break;
            }
            at += 1;
        }
        self.note(&bytes[start..]);
        bytes.len()
    }

    /// Skips to the end of the removed list, to the next string in it, or to the end of the frame.
    fn skip(&mut self, bytes: &[u8], start: usize) -> usize {
        let mut lists = self.skipped.unwrap_or_default();
        for (at, byte) in bytes.iter().enumerate().skip(start) {
            match byte {
                b'"' => {
                    (self.text, self.skipped) = (Text::Other, Some(lists));
                    return at + 1;
                }
                b'[' => lists += 1,
                b']' if lists == 0 => {
                    self.skipped = None;
                    return at;
                }
                b']' => lists -= 1,
                _ => {}
            }
        }
        self.skipped = Some(lists);
        bytes.len()
    }

    /// Appends a part of a key.
    fn note(&mut self, part: &[u8]) {
        if self.text == Text::Key && self.name.len() <= LONGEST {
            self.name.extend_from_slice(&part[..part.len().min(LONGEST + 1)]);
        }
    }

    fn end_text(&mut self, part: &[u8]) {
        if self.text == Text::Key {
            self.note(part);
            self.key = match self.name.as_slice() {
                b"items" => Key::Items,
                b"metadata" => Key::Metadata,
                b"managedFields" => Key::ManagedFields,
                _ => Key::Other,
            };
        }
        self.text = Text::None;
    }

    fn place(&self) -> Place {
        match self.depth {
            0 => Place::Root,
            depth => self.places.get(depth - 1).copied().unwrap_or(Place::Other),
        }
    }

    /// Whether keys are relevant at this place.
    fn has_keys(&self) -> bool {
        self.depth > 0 && matches!(self.place(), Place::Root | Place::Object | Place::Metadata)
    }

    /// Handles an opening bracket, which may start a removed list.
    fn open(&mut self, bracket: u8) {
        let place = match (self.place(), self.key, bracket) {
            _ if self.depth == 0 && bracket == b'{' => Place::Root,
            _ if self.depth == 0 => Place::Other,
            (Place::Metadata, Key::ManagedFields, b'[') => {
                self.skipped = Some(0);
                Place::Other
            }
            (Place::Root, Key::Items, b'[') => Place::Items,
            (Place::Items, _, b'{') => Place::Object,
            (Place::Object, Key::Metadata, b'{') => Place::Metadata,
            _ => Place::Other,
        };
        if let Some(level) = self.places.get_mut(self.depth) {
            *level = place;
        }
        self.depth += 1;
        self.key = Key::Other;
        self.wants_key = bracket == b'{' && self.has_keys();
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        (self.key, self.wants_key) = (Key::Other, false);
    }
}

#[cfg(test)]
mod tests {
    use evenkeel_random_cases::each;
    use serde_json::{Value, json};

    use super::*;

    fn fields() -> Value {
        json!([{ "manager": "a", "fieldsV1": { "f:x": { "k:{\"name\":\"]}\"}": [[]], "é\\": {} } } }])
    }

    fn object(managed: &Value) -> Value {
        json!({
            "kind": "Thing",
            "metadata": { "a": { "managedFields": [1] }, "labels": { "managedFields": "mine" }, "managedFields": managed, "z": "\"\\" },
            "object": { "metadata": { "managedFields": [2] } },
            "items": [{ "metadata": { "managedFields": [3] } }],
            "spec": { "metadata": { "managedFields": [4] }, "managedFields": [5], "text": "\"managedFields\":[" },
        })
    }

    fn list(managed: &Value) -> Value {
        json!({ "kind": "List", "metadata": { "managedFields": [6] }, "items": [object(managed), object(managed)] })
    }

    /// Strips the text in frames of these lengths, cyclically.
    fn trimmed(text: &str, lengths: &[usize]) -> String {
        let (mut scan, mut out, mut rest) = (Scan::default(), VecDeque::new(), Bytes::copy_from_slice(text.as_bytes()));
        for length in lengths.iter().cycle() {
            let frame = rest.split_to((*length).min(rest.len()));
            scan.feed(frame, &mut out).unwrap();
            if rest.is_empty() {
                break;
            }
        }
        String::from_utf8(out.iter().flat_map(|bytes| bytes.to_vec()).collect()).unwrap()
    }

    #[test]
    fn only_managed_fields_of_objects_are_emptied_in_any_chunking() {
        let (text, wanted) = (list(&fields()).to_string(), list(&json!([])));
        let check = |lengths: &[usize]| {
            let found: Value = serde_json::from_str(&trimmed(&text, lengths)).unwrap();
            assert_eq!(found, wanted, "{lengths:?}");
        };
        (1..40).chain([text.len()]).for_each(|length| check(&[length]));
        each(200, |choices| check(&[(); 9].map(|()| choices.range(1..30))));
    }

    #[test]
    fn a_list_with_spaces_is_stripped() {
        let pretty = serde_json::to_string_pretty(&list(&fields())).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&trimmed(&pretty, &[13])).unwrap(), list(&json!([])));
    }

    #[test]
    fn other_bodies_pass_through_unchanged() {
        for text in [
            "",
            "7",
            "null",
            "]]}}\"",
            "{\"items\":7,\"metadata\":[",
            "not JSON \\\" {[",
            "[{\"metadata\":{\"managedFields\":[1]}}]",
        ] {
            assert_eq!(trimmed(text, &[1, 3]), text);
        }
    }
}
