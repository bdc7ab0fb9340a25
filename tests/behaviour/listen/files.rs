//! A listener over HTTPS, with a certificate in files that another tool replaces.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use evenkeel::Operator;
use evenkeel_tests::listener::listening;
use evenkeel_tests::test_env::{Running, Server, World};
use evenkeel_tests::widget::{Lab, definition, widget};
use rcgen::CertifiedKey;
use tempfile::TempDir;
use tokio::time::sleep;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto};

/// A certificate for loopback with its key, both as PEM.
struct Pair {
    certificate: String,
    key: String,
}

fn pair() -> Pair {
    let CertifiedKey { cert, signing_key } = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    Pair { certificate: cert.pem(), key: signing_key.serialize_pem() }
}

/// A folder with the files, as a Secret is mounted.
struct Mounted(TempDir);

impl Mounted {
    fn with(certificate: &str, key: &str) -> Self {
        let mounted = Self(tempfile::tempdir().unwrap());
        mounted.write(certificate, key);
        mounted
    }

    fn write(&self, certificate: &str, key: &str) {
        std::fs::write(self.certificate(), certificate).unwrap();
        std::fs::write(self.key(), key).unwrap();
    }

    fn certificate(&self) -> PathBuf {
        self.0.path().join("tls.crt")
    }

    fn key(&self) -> PathBuf {
        self.0.path().join("tls.key")
    }

    async fn operator(&self) -> (Operator, SocketAddr) {
        let world = World::on(Server::InProcess).await.unwrap();
        world.install(&definition()).await;
        let operator = world.prepare::<widget>(Lab::at("a"));
        listening(operator.listen_certificate(self.certificate(), self.key()))
    }
}

/// The status of the page for a client that trusts only this certificate; `None` if the handshake fails. It runs on a separate thread, so a
/// paused clock stops meanwhile.
async fn status(address: SocketAddr, path: &'static str, trusted: &Pair) -> Option<String> {
    let trusted = CertificateDer::from_pem_slice(trusted.certificate.as_bytes()).unwrap();
    tokio::task::spawn_blocking(move || {
        let mut roots = RootCertStore::empty();
        roots.add(trusted).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::IpAddress(address.ip().into());
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes())
            .ok()?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer[9..]).into_owned())
    })
    .await
    .unwrap()
}

#[tokio::test(start_paused = true)]
async fn probes_and_metrics_have_the_certificate_of_the_files() {
    let own = pair();
    let mounted = Mounted::with(&own.certificate, &own.key);
    let (operator, address) = mounted.operator().await;
    let running = Running::start(operator);
    sleep(Duration::from_secs(5)).await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(status(address, path, &own).await.as_deref(), Some("200"), "{path}");
    }
    assert_eq!(status(address, "/healthz", &pair()).await, None, "a client that trusts another certificate");
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn new_connections_have_a_replaced_certificate() {
    let (first, second) = (pair(), pair());
    let mounted = Mounted::with(&first.certificate, &first.key);
    let (operator, address) = mounted.operator().await;
    let running = Running::start(operator);
    sleep(Duration::from_secs(5)).await;
    // Half of a replacement: the files do not belong together.
    mounted.write(&second.certificate, &first.key);
    sleep(Duration::from_secs(15)).await;
    assert_eq!(status(address, "/healthz", &first).await.as_deref(), Some("200"), "the former one stays");
    mounted.write(&second.certificate, &second.key);
    sleep(Duration::from_secs(15)).await;
    assert_eq!(status(address, "/healthz", &second).await.as_deref(), Some("200"));
    assert_eq!(status(address, "/healthz", &first).await, None);
    running.stop().await.unwrap();
}

/// What the operator reports instead of starting.
async fn refused(mounted: &Mounted) -> String {
    let (operator, _) = mounted.operator().await;
    operator.run_until(std::future::pending()).await.unwrap_err().to_string()
}

#[tokio::test(start_paused = true)]
async fn files_that_cannot_be_used_end_the_start_with_their_path() {
    let (own, other) = (pair(), pair());
    let mounted = Mounted::with(&own.certificate, &other.key);
    let error = refused(&mounted).await;
    let path = mounted.key().display().to_string();
    assert!(error.contains("do not fit") && error.contains(&path) && error.contains("`--listen-cert`"), "{error}");
    mounted.write(&own.certificate, "no key");
    assert!(refused(&mounted).await.contains("the private key cannot be read"));
    std::fs::remove_file(mounted.certificate()).unwrap();
    let (error, path) = (refused(&mounted).await, mounted.certificate().display().to_string());
    assert!(error.contains(&format!("{path} cannot be read")) && error.contains("`--listen-key`"), "{error}");
}
