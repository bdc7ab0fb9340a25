//! Extraction of objects from watch lines as they arrive, so that the decoder reads the object and not the line around it.

use std::collections::VecDeque;

use bytes::Bytes;
use tower::BoxError;

use super::filtered_body::BodyFilter;
use crate::client::decode::RawTextStore;
use crate::client::json_scan::newline;

/// Capacity above this is released after each line.
const ROOM: usize = 64 * 1024;

/// Moves the objects of a watch into a store, and replaces each in its line with an id. Lines of any other form pass unchanged.
pub(super) struct Lines {
    shelf: RawTextStore,
    /// The part of the next line that has arrived.
    line: Vec<u8>,
}

impl Lines {
    pub(super) fn new(shelf: RawTextStore) -> Self {
        Self { shelf, line: Vec::new() }
    }
}

impl BodyFilter for Lines {
    fn feed(&mut self, bytes: Bytes, ready: &mut VecDeque<Bytes>) -> Result<(), BoxError> {
        let mut bytes = &*bytes;
        while let Some(end) = newline(bytes) {
            let (head, rest) = bytes.split_at(end + 1);
            self.line.extend_from_slice(head);
            ready.push_back(match object(&self.line) {
                Some((type_, text)) => {
                    format!("{{\"type\":\"{type_}\",\"object\":{}}}\n", self.shelf.put(text.to_owned())).into()
                }
                None => Bytes::copy_from_slice(&self.line),
            });
            self.line.clear();
            self.line.shrink_to(ROOM);
            bytes = rest;
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn rest(&mut self) -> Option<Bytes> {
        (!self.line.is_empty()).then(|| std::mem::take(&mut self.line).into())
    }
}

/// Type and object of an event in the form that API servers write; `None` for any other line, such as a bookmark or an error.
fn object(line: &[u8]) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    let type_ = ["ADDED", "MODIFIED", "DELETED"].into_iter().find(|type_| rest.starts_with(type_.as_bytes()))?;
    let rest = rest[type_.len()..].strip_prefix(b"\",\"object\":")?;
    let text = rest.strip_suffix(b"}\n").filter(|text| text.starts_with(b"{") && text.ends_with(b"}"))?;
    Some((type_, std::str::from_utf8(text).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        "{\"type\":\"ADDED\",\"object\":{\"a\":{\"b\":\"é\"}}}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"a\":1}}\n",
        "{\"type\":\"DELETED\",\"object\":{}}\n",
        "{\"type\": \"MODIFIED\", \"object\": {}}\n",
        "{\"type\":\"MODIFIED\",\"object\":[]}\n",
        "{\"type\":\"ERROR\",\"object\":{}}\n",
        "\n",
        "{\"type\":\"MODIFIED\",\"obj",
    );

    #[test]
    fn text_ids_replace_objects_in_any_chunking() {
        for length in 1..LINES.len() {
            let (mut lines, mut ready) = (Lines::new(RawTextStore::default()), VecDeque::new());
            for frame in LINES.as_bytes().chunks(length) {
                lines.feed(Bytes::from_static(frame), &mut ready).unwrap();
            }
            ready.extend(lines.rest());
            let text = ready.iter().flat_map(|bytes| bytes.to_vec()).collect::<Vec<u8>>();
            let wanted = LINES.replacen("{\"a\":{\"b\":\"é\"}}", "0", 1).replacen(
                "\"DELETED\",\"object\":{}",
                "\"DELETED\",\"object\":1",
                1,
            );
            assert_eq!(std::str::from_utf8(&text).unwrap(), wanted);
            assert_eq!(lines.shelf.len(), 2);
        }
    }

    #[test]
    fn a_non_utf8_line_has_no_object() {
        assert_eq!(object(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}\n"), None);
    }
}
