//! Strings in const checks: comparison, and messages for a panic.

/// The message so far; text beyond the capacity is dropped.
pub(crate) struct Sentence {
    bytes: [u8; 1024],
    len: usize,
}

impl Sentence {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; 1024], len: 0 }
    }

    pub(crate) const fn push(mut self, text: &str) -> Self {
        let (text, mut i) = (text.as_bytes(), 0);
        while i < text.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    pub(crate) const fn text(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "the declarations do not fit together",
        }
    }
}

pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
