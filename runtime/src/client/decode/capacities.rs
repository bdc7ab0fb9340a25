//! The number of items in each list and each object of a JSON text.

use std::cell::Cell;

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

/// Counts the items while a text is read.
#[derive(Debug)]
pub(super) struct Counter {
    /// Empty if only the depth counts.
    all: Vec<Shape>,
    counts: bool,
    /// The indexes of the open shapes.
    open: [usize; DEPTH],
    depth: usize,
}

impl Default for Counter {
    fn default() -> Self {
        Self { all: Vec::with_capacity(64), counts: true, open: [0; DEPTH], depth: 0 }
    }
}

/// The methods return `None` if the text is not JSON, or too deeply nested.
impl Counter {
    /// Counts no items, only the open lists and objects.
    pub(super) fn of_depth() -> Self {
        Self { all: Vec::new(), counts: false, open: [0; DEPTH], depth: 0 }
    }

    /// The number of open lists and objects.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// A list or an object begins before this text.
    pub(super) fn open(&mut self, rest: &[u8]) -> Option<()> {
        *self.open.get_mut(self.depth)? = self.all.len();
        self.depth += 1;
        if self.counts {
            self.all.push(Shape { items: usize::from(!is_empty(rest)), end: 0 });
        }
        Some(())
    }

    pub(super) fn close(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        if self.counts {
            let end = self.all.len();
            self.all.get_mut(self.open[self.depth])?.end = end;
        }
        Some(())
    }

    /// Another item follows in the innermost list or object.
    pub(super) fn comma(&mut self) -> Option<()> {
        let depth = self.depth.checked_sub(1)?;
        if self.counts {
            self.all.get_mut(self.open[depth])?.items += 1;
        }
        Some(())
    }

    /// An empty list or object.
    pub(super) fn empty(&mut self) {
        if self.counts {
            self.all.push(Shape { items: 0, end: self.all.len() + 1 });
        }
    }

    pub(super) fn end(self) -> Capacities {
        Capacities { all: self.all, at: Cell::new(0) }
    }
}

/// Whether the list or object is empty.
fn is_empty(rest: &[u8]) -> bool {
    rest.iter().find(|byte| !byte.is_ascii_whitespace()).is_none_or(|byte| matches!(byte, b'}' | b']'))
}
