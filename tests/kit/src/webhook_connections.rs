//! Connections to webhooks, which are kept for later calls, as API servers keep theirs.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error as Failed};
use hyper_util::rt::TokioExecutor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use crate::lock::Mutex;

type Https = Client<HttpsConnector<HttpConnector>, Body>;

/// The clients of webhooks: one for each bundle of certificates, since it decides to whom a connection may lead.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<HashMap<Option<String>, Https>>);

impl Connections {
    /// Sends a request over a connection that trusts this bundle only.
    ///
    /// # Errors
    /// Why there is no response, with the words of an API server where they do not depend on its TLS library.
    pub(crate) async fn send(
        &self,
        request: Request<Body>,
        bundle: Option<&str>,
    ) -> Result<Response<Incoming>, String> {
        let uri = request.uri().clone();
        self.client(bundle)?.request(request).await.map_err(|error| why(&uri, &error))
    }

    fn client(&self, bundle: Option<&str>) -> Result<Https, String> {
        let mut clients = self.0.lock();
        if let Some(client) = clients.get(&bundle.map(str::to_owned)) {
            return Ok(client.clone());
        }
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(config(bundle)?).https_only().enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(clients.entry(bundle.map(str::to_owned)).or_insert(client).clone())
    }
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

fn why(uri: &Uri, error: &Failed) -> String {
    let root = root(error);
    if let Some(error) = root.downcast_ref::<rustls::Error>() {
        return format!("tls: failed to verify certificate: {error}");
    }
    if !error.is_connect() {
        return root.to_string();
    }
    let address = format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(443));
    let is_refused =
        root.downcast_ref().is_some_and(|error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused);
    if is_refused {
        return format!("dial tcp {address}: connect: connection refused");
    }
    format!("dial tcp {address}: {root}")
}

/// The first cause of an error.
fn root<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut root = error;
    loop {
        // The source of such an error is not what it wraps, but the source of that.
        let wrapped = root.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| root.source()) {
            Some(cause) => root = cause,
            None => return root,
        }
    }
}
