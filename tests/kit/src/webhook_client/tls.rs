//! TLS connections to webhooks, which are verified against the bundle of their configuration only.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Connects to a webhook.
///
/// # Errors
/// Why there is no connection, with the words of an API server where they do not depend on its TLS library.
pub(super) async fn connect(
    host: &str,
    port: u16,
    bundle: Option<&str>,
) -> Result<TokioIo<TlsStream<TcpStream>>, String> {
    let address = format!("{host}:{port}");
    let dialed = TcpStream::connect(&address).await;
    let stream = dialed.map_err(|error| match error.kind() {
        std::io::ErrorKind::ConnectionRefused => format!("dial tcp {address}: connect: connection refused"),
        _ => format!("dial tcp {address}: {error}"),
    })?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::new(config(bundle)?));
    let secured = connector.connect(name, stream).await;
    secured.map(TokioIo::new).map_err(|error| format!("tls: failed to verify certificate: {error}"))
}

/// Without a bundle, no certificate is trusted.
fn config(bundle: Option<&str>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    let pem = BASE64_STANDARD.decode(bundle.unwrap_or_default()).map_err(|error| format!("caBundle: {error}"))?;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| format!("caBundle: {error}"))?;
        roots.add(certificate).map_err(|error| format!("caBundle: {error}"))?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
