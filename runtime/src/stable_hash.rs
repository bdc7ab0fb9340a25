//! A hash with the same result in every build and on every machine, since some hashes are stored.

/// A 64-bit hasher: folded multiplication of eight bytes at a time, as in wyhash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StableHash(u64);

impl StableHash {
    pub(crate) const fn new() -> Self {
        Self(0xa076_1d64_78bd_642f)
    }

    pub(crate) fn word(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0xe703_7ed1_a0b4_28db;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    /// Adds a text and an end marker, a byte that no text contains, so that adjacent texts cannot be confused.
    pub(crate) fn add(&mut self, text: &str) {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let end = 0xf8 | rest.len() as u64;
        self.word(rest.iter().fold(end, |word, byte| word << 8 | u64::from(*byte)));
    }

    pub(crate) const fn finish(self) -> u64 {
        self.0
    }
}
