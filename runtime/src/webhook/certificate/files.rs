//! A certificate in files, which another tool renews.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_rustls::rustls::sign::CertifiedKey;

use super::pair::certified;
use super::served::Served;

/// How often the files are read. Mounted Secrets are replaced as a whole, so the two always belong together.
const EVERY: Duration = Duration::from_secs(10);

/// Reads `tls.crt` and `tls.key` of the folder.
///
/// # Errors
/// A file cannot be read or used, with its path.
pub(super) fn read(folder: &Path) -> Result<Arc<CertifiedKey>, String> {
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    };
    certified(&file("tls.crt")?, &file("tls.key")?).map_err(|why| format!("{}: {why}", folder.display()))
}

/// Reads the files again and again. Files that cannot be used are logged once, and the last certificate is kept.
///
/// # Cancellation
/// Dropping the future stops the reading.
pub(super) async fn follow(folder: &Path, served: &watch::Sender<Served>) {
    let mut failed = None;
    loop {
        tokio::time::sleep(EVERY).await;
        match read(folder) {
            Ok(new) => {
                failed = None;
                served.send_if_modified(|served| {
                    let is_new = served.certified.as_ref().is_none_or(|old| old.cert != new.cert);
                    if is_new {
                        tracing::info!(folder = %folder.display(), "the webhook server uses a new certificate");
                        served.certified = Some(new);
                    }
                    is_new
                });
            }
            Err(why) if failed.as_ref() == Some(&why) => {}
            Err(why) => {
                tracing::warn!(error = why, "the certificate of the webhook server was not replaced");
                failed = Some(why);
            }
        }
    }
}
