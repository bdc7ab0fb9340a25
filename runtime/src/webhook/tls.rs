//! The certificate of new TLS connections, which can be replaced at any time.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::certificate::Served;

#[derive(Debug)]
struct Resolver(watch::Receiver<Served>);

impl ResolvesServerCert for Resolver {
    /// The same certificate for every server name: a Service has several, and a URL may have none.
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0.borrow().certified.clone()
    }
}

/// Accepts TLS connections with the certificate of the moment. A handshake before the first certificate fails.
pub(crate) fn acceptor(served: watch::Receiver<Served>) -> TlsAcceptor {
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("ring supports TLS 1.2 and 1.3");
    let mut config = builder.with_no_client_auth().with_cert_resolver(Arc::new(Resolver(served)));
    // API servers call webhooks of a Service by HTTP/1.1.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    TlsAcceptor::from(Arc::new(config))
}
