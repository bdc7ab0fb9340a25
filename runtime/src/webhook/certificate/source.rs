//! The source of the certificate.

use kube::Client;
use tokio::sync::watch;

use super::files::Files;
use super::keeper;
use super::names::Names;
use super::served::Served;

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A self-signed certificate in a Secret, which the operator makes, renews and puts into the webhook configurations.
    SelfSigned(Names),
    /// The files `tls.crt` and `tls.key` of a folder, which another tool such as cert-manager renews.
    Files(Files),
}

impl Source {
    /// The certificate before the first look: that of the files, or none.
    ///
    /// # Errors
    /// The files cannot be used.
    pub(crate) fn first(&self) -> Result<Served, String> {
        match self {
            Self::SelfSigned(_) => Ok(Served::default()),
            Self::Files(files) => files.read(),
        }
    }

    /// Keeps the certificate up to date, forever.
    ///
    /// # Cancellation
    /// Dropping the future stops the renewal; the next start continues it.
    pub(in crate::webhook) async fn follow(self, client: Client, served: watch::Sender<Served>) {
        match self {
            Self::SelfSigned(names) => keeper::Keeper::new(client, names, served).run().await,
            Self::Files(files) => files.follow("webhook server", &served).await,
        }
    }
}
