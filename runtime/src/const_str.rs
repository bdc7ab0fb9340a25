//! A sentence that is put together at compile time, for the panic of a const check.

/// The sentence so far; what does not fit in is left out.
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
            Err(_) => "what is declared does not fit together",
        }
    }
}
