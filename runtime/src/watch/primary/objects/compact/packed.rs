//! Compressed texts. The first text is the dictionary of all: the objects of a kind have most of their names in common.

use std::sync::Arc;

use lz4_flex::block::{compress_with_dict, decompress_with_dict};

/// The length of the part of a text to which another one can refer, a limit of LZ4.
const REACH: usize = 64 * 1024;

/// A compressed text.
pub(in crate::watch::primary::objects) struct Packed {
    bytes: Box<[u8]>,
    /// The length of the text in bytes.
    length: u32,
}

/// Compresses the texts of one kind.
#[derive(Default)]
pub(super) struct Packer {
    dictionary: Option<Arc<[u8]>>,
}

impl Packer {
    /// `None`: the text is longer than an API server permits.
    pub(super) fn pack(&mut self, text: &str) -> Option<Packed> {
        let length = u32::try_from(text.len()).ok()?;
        let text = text.as_bytes();
        let dictionary = self.dictionary.get_or_insert_with(|| text[text.len().saturating_sub(REACH)..].into());
        Some(Packed { bytes: compress_with_dict(text, dictionary).into(), length })
    }

    /// # Errors
    /// The bytes are not those of this packer.
    pub(super) fn unpack(&self, packed: &Packed) -> Result<String, String> {
        let dictionary = self.dictionary.as_deref().unwrap_or_default();
        let text = decompress_with_dict(&packed.bytes, packed.length as usize, dictionary)
            .map_err(|error| error.to_string())?;
        String::from_utf8(text).map_err(|error| error.to_string())
    }
}
