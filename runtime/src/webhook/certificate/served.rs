//! The state of the certificate, as the server and the probes read it.

use std::sync::Arc;

use jiff::Timestamp;
use tokio_rustls::rustls::sign::CertifiedKey;

/// What the webhook server serves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    /// The certificate of new connections; `None` before the first one.
    pub(crate) certified: Option<Arc<CertifiedKey>>,
    /// When it expires, if that is known.
    pub(crate) expires: Option<Timestamp>,
    /// How often this process has written the bundle into a configuration.
    pub(crate) bundle_writes: u64,
    /// Whether the webhook configurations that exist have the bundle.
    pub(crate) is_spread: bool,
    /// Why there is no certificate, or why it cannot be renewed.
    pub(crate) error: Option<String>,
}
