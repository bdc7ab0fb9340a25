//! The objects that were read from the API server in the current term.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::queue::Key;

/// The objects that were read in the current term. Empty in an operator without terms.
#[derive(Default)]
pub(in crate::pass) struct LiveReads(Mutex<Read>);

#[derive(Default)]
struct Read {
    epoch: u64,
    keys: HashSet<Key>,
}

impl LiveReads {
    fn lock(&self) -> MutexGuard<'_, Read> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the object was read in this term.
    pub(in crate::pass) fn has(&self, epoch: u64, key: &Key) -> bool {
        let read = self.lock();
        read.epoch == epoch && read.keys.contains(key)
    }

    /// Records a read that began in this term.
    pub(in crate::pass) fn note(&self, epoch: u64, key: &Key) {
        if epoch == 0 {
            return;
        }
        let mut read = self.lock();
        if read.epoch < epoch {
            *read = Read { epoch, keys: HashSet::new() };
        }
        if read.epoch == epoch {
            read.keys.insert(key.clone());
        }
    }

    pub(in crate::pass) fn forget(&self, key: &Key) {
        self.lock().keys.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_once_in_each_term() {
        let (reads, [a, b]) = (LiveReads::default(), ["a", "b"].map(|name| Key::new(None, name)));
        reads.note(0, &a);
        assert!(reads.lock().keys.is_empty(), "an operator without terms keeps nothing");
        reads.note(7, &a);
        assert!(reads.has(7, &a) && !reads.has(7, &b) && !reads.has(8, &a));
        reads.note(8, &b);
        // The read of a pass that began in an earlier term.
        reads.note(7, &a);
        assert!(reads.has(8, &b) && !reads.has(8, &a) && !reads.has(7, &a));
        reads.forget(&b);
        assert!(!reads.has(8, &b));
    }
}
