//! The ids of passes, which connect the log lines and spans of one pass.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

/// Hands out ids. It starts at a random number, so that the ids of several processes differ.
pub(super) struct PassIds(AtomicU64);

impl PassIds {
    pub(super) fn new() -> Self {
        // The standard library seeds each hasher at random.
        Self(RandomState::new().hash_one("evenkeel").into())
    }

    pub(super) fn next(&self) -> PassId {
        PassId(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// The id of one pass: 16 hexadecimal digits.
pub(super) struct PassId(u64);

impl fmt::Display for PassId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_have_one_width() {
        let ids = PassIds::new();
        let texts: Vec<String> = (0..3).map(|_| ids.next().to_string()).collect();
        assert!(texts.iter().all(|text| text.len() == 16) && texts[0] != texts[1] && texts[1] != texts[2], "{texts:?}");
        assert_ne!(PassIds::new().next().to_string(), texts[0], "each process starts at another number");
    }
}
