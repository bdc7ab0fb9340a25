//! The warnings that are logged once.

use std::collections::BTreeSet;

use crate::lock::Mutex;

/// The warnings that were logged. Their words come from the code, so the set stays small.
#[derive(Debug, Default)]
pub struct Warned(Mutex<BTreeSet<Vec<String>>>);

impl Warned {
    /// Whether this warning was not logged before. Records it.
    pub(crate) fn is_new(&self, words: &[&str]) -> bool {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.0.lock().insert(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_warning_is_logged_once() {
        let warned = Warned::default();
        assert!(warned.is_new(&["once", "a"]));
        assert!(!warned.is_new(&["once", "a"]));
        assert!(warned.is_new(&["once", "b"]));
    }
}
