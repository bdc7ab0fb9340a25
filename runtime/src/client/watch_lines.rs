//! The lines of a watch as they arrive. Their objects are read once, so that the decoder reads each object and not the line around it.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;
use memchr::memchr;
use tower::BoxError;

use super::filtered_body::BodyFilter;
use crate::client::decode::{ObjectText, RawTextStore, find_unread};

/// Removes from the objects of a watch what no reconciler reads. With a store, moves them into it, and replaces each in its line with an id.
/// Lines of any other form pass unchanged.
pub(super) struct Lines {
    shelf: Option<RawTextStore>,
    /// The part of the next line that has arrived.
    line: Vec<u8>,
    /// The removed parts of a line. One list serves all lines.
    unread: Vec<Range<usize>>,
}

impl Lines {
    pub(super) fn new(shelf: Option<RawTextStore>) -> Self {
        Self { shelf, line: Vec::new(), unread: Vec::new() }
    }

    /// Appends what kube reads of a line.
    fn pass(&mut self, line: &Bytes, ready: &mut VecDeque<Bytes>) {
        let Some((type_, text)) = object(line) else { return ready.push_back(line.clone()) };
        if let Some(shelf) = &self.shelf {
            let text_id = shelf.put(ObjectText::of(text, true));
            return ready.push_back(format!("{{\"type\":\"{type_}\",\"object\":{text_id}}}\n").into());
        }
        // The object ends before the last bracket.
        let start = line.len() - "}\n".len() - text.len();
        let mut from = 0;
        find_unread(text, &mut self.unread);
        for part in &self.unread {
            ready.push_back(line.slice(from..start + part.start));
            from = start + part.end;
        }
        ready.push_back(line.slice(from..));
    }
}

impl BodyFilter for Lines {
    fn feed(&mut self, mut bytes: Bytes, ready: &mut VecDeque<Bytes>) -> Result<(), BoxError> {
        while let Some(end) = memchr(b'\n', &bytes) {
            let head = bytes.split_to(end + 1);
            if self.line.is_empty() {
                self.pass(&head, ready);
            } else {
                self.line.extend_from_slice(&head);
                let line = std::mem::take(&mut self.line).into();
                self.pass(&line, ready);
            }
        }
        self.line.extend_from_slice(&bytes);
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

    fn fed(shelf: Option<RawTextStore>, text: &'static str, length: usize) -> String {
        let (mut lines, mut ready) = (Lines::new(shelf), VecDeque::new());
        for frame in text.as_bytes().chunks(length) {
            lines.feed(Bytes::from_static(frame), &mut ready).unwrap();
        }
        ready.extend(lines.rest());
        String::from_utf8(ready.iter().flat_map(|bytes| bytes.to_vec()).collect()).unwrap()
    }

    #[test]
    fn text_ids_replace_objects_in_any_chunking() {
        let wanted = LINES.replacen("{\"a\":{\"b\":\"é\"}}", "0", 1).replacen(
            "\"DELETED\",\"object\":{}",
            "\"DELETED\",\"object\":1",
            1,
        );
        for length in 1..LINES.len() {
            let shelf = RawTextStore::default();
            assert_eq!(fed(Some(shelf.clone()), LINES, length), wanted);
            assert_eq!(shelf.len(), 2);
        }
    }

    #[test]
    fn without_a_store_objects_are_stripped_in_their_lines() {
        const FAT: &str = concat!(
            "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"managedFields\":[{\"a\":1}],\"name\":\"a\"}}}\n",
            "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"managedFields\":[2]}}}\n",
        );
        for length in 1..FAT.len() {
            assert_eq!(fed(None, LINES, length), LINES);
            assert_eq!(fed(None, FAT, length), FAT.replacen("{\"a\":1}", "", 1));
        }
    }

    #[test]
    fn a_non_utf8_line_has_no_object() {
        assert_eq!(object(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}\n"), None);
    }
}
