//! A certificate in files, which another tool renews.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;

use super::expiry::expires;
use super::pair::certified;
use super::served::Served;

/// How often the files are read. Mounted Secrets are replaced as a whole, so the two always belong together.
const EVERY: Duration = Duration::from_secs(10);

/// The files of a certificate and of its key, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Files {
    /// The files `tls.crt` and `tls.key` of a folder.
    pub(crate) fn of(folder: &Path) -> Self {
        Self { certificate: folder.join("tls.crt"), key: folder.join("tls.key") }
    }

    /// Reads both files.
    ///
    /// # Errors
    /// A file cannot be read or used, with its path.
    pub(crate) fn read(&self) -> Result<Served, String> {
        let [certificate, key] = [&self.certificate, &self.key]
            .map(|path| std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display())));
        let certificate = certificate?;
        let certified = certified(&certificate, &key?)
            .map_err(|why| format!("{}, {}: {why}", self.certificate.display(), self.key.display()))?;
        let expires = certified.cert.first().and_then(|certificate| expires(certificate));
        Ok(Served { certified: Some(certified), expires, is_spread: true, ..Served::default() })
    }

    /// Reads the files again and again, for this server. Files that cannot be used are logged once, and the last certificate is kept.
    ///
    /// # Cancellation
    /// Dropping the future stops the reading.
    pub(crate) async fn follow(&self, server: &'static str, served: &watch::Sender<Served>) {
        let mut failed = None;
        loop {
            tokio::time::sleep(EVERY).await;
            match self.read() {
                Ok(new) => {
                    failed = None;
                    self.replace(server, served, new);
                }
                Err(why) if failed.as_ref() == Some(&why) => {}
                Err(why) => {
                    tracing::warn!(error = why, "the certificate of the {server} was not replaced");
                    failed = Some(why);
                }
            }
        }
    }

    fn replace(&self, server: &str, served: &watch::Sender<Served>, new: Served) {
        let certificate = |served: &Served| served.certified.as_ref().map(|certified| certified.cert.clone());
        served.send_if_modified(|served| {
            let is_new = certificate(served) != certificate(&new);
            if is_new {
                tracing::info!(file = %self.certificate.display(), "the {server} uses a new certificate");
                *served = new;
            }
            is_new
        });
    }
}
