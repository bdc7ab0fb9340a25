//! The SHA-256 of bytes, by the library that kube's TLS uses: a second one would be seven crates more.

#[cfg(feature = "dependents")]
use ring::digest::Context;
use ring::digest::{SHA256, digest};

/// The hash of these bytes.
pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    array(digest(&SHA256, bytes.as_ref()).as_ref())
}

/// The hash of a sequence of bytes that arrives in parts.
#[cfg(feature = "dependents")]
pub(crate) struct Sha256(Context);

#[cfg(feature = "dependents")]
impl Sha256 {
    pub(crate) fn new() -> Self {
        Self(Context::new(&SHA256))
    }

    pub(crate) fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes.as_ref());
    }

    /// The same, with these bytes at its end.
    pub(crate) fn chain(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.update(bytes);
        self
    }

    pub(crate) fn end(self) -> [u8; 32] {
        array(self.0.finish().as_ref())
    }
}

/// The digits of a hash, or of its first bytes.
pub(crate) fn hex(hash: &[u8]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn array(hash: &[u8]) -> [u8; 32] {
    hash.try_into().expect("SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256() {
        // The examples of FIPS 180-2.
        assert_eq!(hex(&sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(&sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[cfg(feature = "dependents")]
    #[test]
    fn parts_have_the_hash_of_the_whole() {
        assert_eq!(Sha256::new().chain("a").chain("bc").end(), sha256("abc"));
    }
}
