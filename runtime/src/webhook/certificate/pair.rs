//! A certificate with its key.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

/// The life of a self-signed certificate.
const LIFE: Duration = Duration::from_secs(90 * 86_400);
/// A certificate is valid this long before it is made, for clients whose clock is behind.
const BEFORE: Duration = Duration::from_secs(86_400);

/// A certificate with its key, both as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) certificate: String,
    pub(super) key: String,
    pub(super) expires: Timestamp,
    /// The host names and addresses for which it is valid.
    pub(super) subjects: Vec<String>,
}

/// The key stays out of logs.
impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl Pair {
    /// Makes a self-signed certificate (ECDSA P-256) for these host names and addresses.
    ///
    /// It is no CA, since TLS libraries reject a CA as the certificate of a server. API servers trust a certificate that is in the bundle
    /// itself.
    ///
    /// # Errors
    /// A name cannot be part of a certificate.
    pub(super) fn make(subjects: &[String], now: Timestamp) -> Result<Self, String> {
        let failed = |error: rcgen::Error| error.to_string();
        let (from, expires) = (
            now.saturating_sub(BEFORE).map_err(|error| error.to_string())?,
            now.saturating_add(LIFE).map_err(|error| error.to_string())?,
        );
        let mut params = CertificateParams::new(subjects).map_err(failed)?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, subjects.first().map_or("webhook", String::as_str));
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let at = |time: Timestamp| Duration::from_secs(time.as_second().try_into().unwrap_or_default());
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        (params.not_before, params.not_after) = (epoch + at(from), epoch + at(expires));
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.self_signed(&key).map_err(failed)?;
        Ok(Self { certificate: certificate.pem(), key: key.serialize_pem(), expires, subjects: subjects.to_vec() })
    }

    /// Whether two thirds of the life are over.
    pub(super) fn is_old(&self, now: Timestamp) -> bool {
        self.expires.duration_since(now) < (LIFE / 3).try_into().unwrap_or(jiff::SignedDuration::MAX)
    }

    /// The time at which [`is_old`](Self::is_old) becomes true.
    pub(super) fn old_at(&self) -> Timestamp {
        self.expires.saturating_sub(LIFE / 3).unwrap_or(Timestamp::MIN)
    }

    /// Whether the certificate is no longer valid.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.expires <= now
    }

    /// The certificate and the key for the TLS library.
    ///
    /// # Errors
    /// One of them cannot be read, or they do not belong together.
    pub(super) fn certified(&self) -> Result<Arc<CertifiedKey>, String> {
        certified(self.certificate.as_bytes(), self.key.as_bytes())
    }
}

/// Reads a certificate chain and a key as PEM.
///
/// # Errors
/// One of them cannot be read, or they do not belong together. The text has no part of the key.
pub(in crate::webhook) fn certified(certificates: &[u8], key: &[u8]) -> Result<Arc<CertifiedKey>, String> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificates).collect();
    let chain = chain.map_err(|error| format!("the certificate cannot be read: {error}"))?;
    if chain.is_empty() {
        return Err("there is no certificate".to_owned());
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| "the private key cannot be read".to_owned())?;
    let certified = CertifiedKey::from_der(chain, key, &ring::default_provider());
    certified.map(Arc::new).map_err(|error| format!("the certificate and the key do not fit: {error}"))
}

/// The PEM of another certificate.
#[cfg(test)]
pub(in crate::webhook) fn tests_pair() -> String {
    tests_files().0
}

/// A certificate with its key, as PEM.
#[cfg(test)]
pub(in crate::webhook) fn tests_files() -> (String, String) {
    let pair = Pair::make(&["localhost".to_owned()], crate::clock::now()).unwrap_or_else(|why| panic!("{why}"));
    (pair.certificate, pair.key)
}
