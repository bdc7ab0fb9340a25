//! How the listener accepts connections over TLS.

/// Accepts connections over TLS, with the certificate of the webhook server.
#[cfg(feature = "webhooks")]
pub(crate) type Tls = tokio_rustls::TlsAcceptor;
/// Without a webhook server there is no certificate.
#[cfg(not(feature = "webhooks"))]
pub(crate) type Tls = std::convert::Infallible;
