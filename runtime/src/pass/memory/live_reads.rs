//! The term in which each object was read from the API server.

use crate::lock::Mutex;
use crate::queue::{Key, KeyMap};

/// The epoch in which each object was read. Empty in an operator without terms.
#[derive(Default)]
pub(in crate::pass) struct LiveReads(Mutex<KeyMap<u64>>);

impl LiveReads {
    /// Whether the object was read in this term.
    pub(in crate::pass) fn has(&self, epoch: u64, key: &Key) -> bool {
        self.0.lock().get(key) == Some(&epoch)
    }

    /// Records a read that began in this term.
    pub(in crate::pass) fn note(&self, epoch: u64, key: &Key) {
        if epoch == 0 {
            return;
        }
        let mut reads = self.0.lock();
        // A read of a pass that began in an earlier term counts for that term only.
        if reads.get(key).is_none_or(|read| *read < epoch) {
            reads.insert(key.clone(), epoch);
        }
    }

    pub(in crate::pass) fn forget(&self, key: &Key) {
        self.0.lock().remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_once_in_each_term() {
        let (reads, [a, b]) = (LiveReads::default(), ["a", "b"].map(|name| Key::new(None, name)));
        reads.note(0, &a);
        assert!(reads.0.lock().is_empty(), "an operator without terms keeps nothing");
        reads.note(7, &a);
        assert!(reads.has(7, &a) && !reads.has(7, &b) && !reads.has(8, &a));
        reads.note(8, &a);
        reads.note(8, &b);
        // The read of a pass that began in an earlier term.
        reads.note(7, &a);
        assert!(reads.has(8, &b) && reads.has(8, &a) && !reads.has(7, &a));
        reads.forget(&b);
        assert!(!reads.has(8, &b));
    }
}
