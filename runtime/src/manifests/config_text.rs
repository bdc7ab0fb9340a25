//! The configuration file for the pods.

/// A configuration file for the pods.
#[derive(Clone, Debug)]
pub(crate) struct ConfigText {
    pub(crate) text: String,
    /// The hash of the keys that need a restart.
    pub(crate) checksum: String,
}
