//! The hash of all that a pass depended on, so that a restart can leave an unchanged object alone.

/// A stable 64-bit hash (FNV-1a) in the making, the same in every build and on every machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    }

    /// Adds a text and where it ends, so that what follows cannot be taken for a part of it.
    pub(super) fn add(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&(text.len() as u64).to_le_bytes());
    }

    pub(super) fn add_all<'t>(&mut self, pairs: impl IntoIterator<Item = (&'t String, &'t String)>) {
        for (name, value) in pairs {
            self.add(name);
            self.add(value);
        }
    }

    pub(super) fn finish(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The hash of one text.
pub(crate) fn hash(text: &str) -> String {
    let mut digest = Digest::new();
    digest.bytes(text.as_bytes());
    digest.finish()
}

/// The hash of several texts, as a number.
pub(crate) fn number(texts: &[&str]) -> u64 {
    let mut digest = Digest::new();
    texts.iter().for_each(|text| digest.add(text));
    digest.0
}
