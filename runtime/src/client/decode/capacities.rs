//! The number of items in each list and each object of a JSON text.

use std::cell::Cell;

use crate::client::json_scan::quote_or_backslash;

/// The maximum nesting depth. Deeper texts are not counted; serde_json rejects them.
const DEPTH: usize = 128;

/// A list or an object of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    items: usize,
    /// The index of the first shape after this one and its contents.
    end: usize,
}

/// The lists and objects of a text in the order of their start, and the current position.
#[derive(Debug, Default)]
pub(super) struct Capacities {
    all: Vec<Shape>,
    at: Cell<usize>,
}

impl Capacities {
    /// Counts a text that is known to be JSON.
    pub(super) fn of(text: &str) -> Self {
        Self { all: count(text.as_bytes()).unwrap_or_default(), at: Cell::new(0) }
    }

    /// Enters the next shape and returns its number of items; `None` if the position is lost.
    pub(super) fn enter(&self) -> Option<usize> {
        let shape = self.all.get(self.at.get())?;
        self.at.set(self.at.get() + 1);
        Some(shape.items)
    }

    /// Skips the next shape and its contents.
    pub(super) fn pass(&self) {
        self.at.set(self.all.get(self.at.get()).map_or(self.all.len(), |shape| shape.end));
    }

    /// Marks the position as lost, since another deserializer reads the next value.
    pub(super) fn lose(&self) {
        self.at.set(self.all.len());
    }
}

/// The shapes of a text; `None` if it is not JSON or too deeply nested.
fn count(text: &[u8]) -> Option<Vec<Shape>> {
    let (mut all, mut open, mut depth) = (Vec::with_capacity(64), [0; DEPTH], 0);
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => at = end_of_string(text, at)?,
            b'{' | b'[' => {
                *open.get_mut(depth)? = all.len();
                depth += 1;
                all.push(Shape { items: usize::from(!is_empty(&text[at + 1..])), end: 0 });
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                let end = all.len();
                all.get_mut(open[depth])?.end = end;
            }
            b',' => all.get_mut(open[depth.checked_sub(1)?])?.items += 1,
            _ => {}
        }
        at += 1;
    }
    Some(all)
}

/// The end of the string that begins here.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        at += quote_or_backslash(text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether the list or object is empty.
fn is_empty(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()).is_none_or(|byte| matches!(byte, b'}' | b']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> Vec<usize> {
        Capacities::of(text).all.iter().map(|shape| shape.items).collect()
    }

    #[test]
    fn lists_and_objects_are_counted_in_document_order() {
        assert_eq!(counted(r#"{"a":[1,2,3],"b":{},"c":[ ],"d":[[],[{}]]}"#), [4, 3, 0, 0, 2, 0, 1, 0]);
        assert_eq!(counted(r#"["a,[\"","\\",",\\\""]"#), [3], "what stands in a string does not count");
        assert!(counted("7").is_empty());
        for broken in ["[", "]", "{\"a", "[1]]", &"[".repeat(1000)] {
            Capacities::of(broken);
        }
        assert_eq!(Capacities::of(&"[".repeat(DEPTH + 1)).all, []);
    }
}
