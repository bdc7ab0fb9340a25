//! The hash of everything that a pass depended on, so that a restart runs no body for an unchanged object.

use super::trigger_set::TriggerSet;
use crate::stable_hash::StableHash;

#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(StableHash);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(StableHash::new())
    }

    /// Adds a text, so that adjacent texts cannot be confused.
    pub(super) fn add(&mut self, text: &str) {
        self.0.add(text);
    }

    /// Starts the input of a trigger, so that it cannot be confused with that of another.
    pub(super) fn begin(&mut self, trigger: TriggerSet) {
        self.0.word(u64::MAX ^ u64::from(trigger.0));
    }

    pub(super) fn add_number(&mut self, number: i64) {
        self.0.word(number.cast_unsigned());
    }

    pub(super) fn add_all<'t>(&mut self, pairs: impl IntoIterator<Item = (&'t String, &'t String)>) {
        for (name, value) in pairs {
            self.add(name);
            self.add(value);
        }
    }

    pub(super) fn finish(self) -> u64 {
        self.0.finish()
    }
}

/// A hash in its stored form: 16 hexadecimal digits.
pub(crate) fn digits(hash: u64) -> [u8; 16] {
    std::array::from_fn(|at| b"0123456789abcdef"[(hash >> (60 - 4 * at) & 0xf) as usize])
}

/// The [`digits`] of a hash as a string.
pub(crate) fn text(hash: u64) -> String {
    digits(hash).map(char::from).iter().collect()
}

/// Parses a text of [`digits`]; `None`: the text is not one.
pub(crate) fn parse(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok().filter(|hash| digits(*hash) == text.as_bytes())
}

/// The hash of one text, in its stored form.
pub(crate) fn hash(one: &str) -> String {
    text(number(&[one]))
}

/// The hash of several texts.
pub(crate) fn number(texts: &[&str]) -> u64 {
    let mut digest = Digest::new();
    texts.iter().for_each(|text| digest.add(text));
    digest.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_hash_of_a_text_is_stable() {
        let long = "one text that is longer than eight bytes";
        assert_eq!([hash(""), hash("short"), hash(long)], ["b94884eca0325a5c", "c6cb0f4097b51d27", "57a86fe684bdae9a"]);
    }

    #[test]
    fn a_hash_survives_a_round_trip() {
        for hash in [0, 1, u64::MAX, number(&["short"])] {
            assert_eq!(parse(&text(hash)), Some(hash));
        }
        for other in ["", "0", "+000000000000001", "C6CB0F4097B51D27", "c6cb0f4097b51d270", "none"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn different_texts_have_different_hashes() {
        let texts = (0..100_000).flat_map(|i| [format!("{i}"), format!("{i:08}"), format!("uid-{i:032x}")]);
        let hashes: HashSet<u64> = texts.map(|text| number(&[&text])).collect();
        assert_eq!(hashes.len(), 300_000);
        assert_ne!(number(&["ab", "c"]), number(&["a", "bc"]));
        assert_ne!(number(&["12345678", ""]), number(&["", "12345678"]));
    }
}
