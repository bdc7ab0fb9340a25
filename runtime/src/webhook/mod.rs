//! The webhook server: HTTPS for the API server, with a certificate that the operator makes and renews itself.
//!
//! The server runs on all replicas, before the first list and without a lease: an API server must reach it at any time.

mod certificate;
mod server;
#[cfg(test)]
mod tests;
mod tls;

use axum::Router;
use kube::Client;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

#[cfg(feature = "doctor")]
pub(crate) use self::certificate::EXPIRES;
pub(crate) use self::certificate::{Files, Names, Served, Source};
pub(crate) use self::tls::acceptor;

/// A running webhook server. Dropping it closes its connections.
pub(crate) struct Serving {
    server: AbortOnDropHandle<()>,
    _certificate: AbortOnDropHandle<()>,
}

/// Starts the server on a bound socket. `served` has the first certificate, if there is one.
pub(crate) fn start(
    listener: TcpListener,
    source: Source,
    served: watch::Sender<Served>,
    client: Client,
    router: Router,
    stop: CancellationToken,
) -> Serving {
    let acceptor = acceptor(served.subscribe());
    let server = tokio::spawn(server::serve(listener, acceptor, router, stop));
    let certificate = tokio::spawn(source.follow(client, served));
    Serving { server: AbortOnDropHandle::new(server), _certificate: AbortOnDropHandle::new(certificate) }
}

impl Serving {
    /// Waits until the server has ended, some time after the stop.
    pub(crate) async fn ended(self) {
        // A panic of the server has been reported by the runtime.
        let _ = self.server.await;
    }
}

/// A certificate for tests.
#[cfg(test)]
pub(crate) fn tests_certified() -> std::sync::Arc<tokio_rustls::rustls::sign::CertifiedKey> {
    let (certificate, key) = certificate::tests_files();
    certificate::certified(certificate.as_bytes(), key.as_bytes()).unwrap_or_else(|why| panic!("{why}"))
}
