//! What is told once in a process: mistakes in the code that only show at run time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What was told. It is made of words of the code, so it stays small.
static TOLD: Mutex<BTreeSet<Vec<String>>> = Mutex::new(BTreeSet::new());

/// Whether this has not been told before.
pub(super) fn is_news(words: &[&str]) -> bool {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_told_once() {
        assert!(is_news(&["draft", "once", "a"]));
        assert!(!is_news(&["draft", "once", "a"]));
        assert!(is_news(&["draft", "once", "b"]));
    }
}
