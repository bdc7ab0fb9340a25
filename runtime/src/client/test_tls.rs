//! TLS of the servers in tests.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// Accepts connections to 127.0.0.1 that speak these protocols, with a new certificate, which it returns.
pub(super) fn acceptor(protocols: &[&str]) -> (TlsAcceptor, Vec<u8>) {
    let key = rcgen::KeyPair::generate().unwrap();
    let parameters = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = parameters.self_signed(&key).unwrap().der().to_vec();
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let chain = vec![CertificateDer::from(certificate.clone())];
    let mut tls = builder.with_single_cert(chain, PrivatePkcs8KeyDer::from(key.serialize_der()).into()).unwrap();
    tls.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    (TlsAcceptor::from(Arc::new(tls)), certificate)
}
