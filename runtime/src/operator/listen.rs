//! The listener of an operator for metrics, probes and debug pages.

use std::sync::Arc;

#[cfg(feature = "webhooks")]
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use super::error::{Error, Reason, Result};
use crate::listen::Listener;
use crate::telemetry::metrics::{Custom, Metrics, serve};
use crate::watch::Health;
#[cfg(feature = "webhooks")]
use crate::webhook::{Files, acceptor};

/// A listener that runs until the last of its clones is dropped.
#[derive(Clone)]
pub(super) struct Listening {
    pub(super) metrics: Metrics,
    _task: Arc<AbortOnDropHandle<()>>,
    #[cfg(feature = "webhooks")]
    _certificate: Option<Arc<AbortOnDropHandle<()>>>,
}

/// Starts the listener, if there is one.
pub(super) async fn begin(
    listener: Option<Listener>,
    mut custom: Custom,
    health: &Health,
) -> Result<Option<Listening>> {
    let Some(listener) = listener else { return Ok(None) };
    if let Some(name) = custom.reserved_names().first() {
        let headline = format!("the program registers the metric {name}, and its prefix belongs to the framework");
        return Err(Error::new(Reason::Setup, headline, "rename it in `register_metrics`"));
    }
    #[cfg(feature = "webhooks")]
    let certificate = from_files(&mut custom)?;
    let tls = custom.tls.take();
    if custom.wants_tls && tls.is_none() {
        let help =
            "add a webhook server with `--webhooks`, or give files with `--listen-cert` and `--listen-key` instead";
        return Err(Error::new(
            Reason::Setup,
            "the listener has TLS without a webhook server, so it has no certificate",
            help,
        ));
    }
    let place = listener.to_string();
    let socket = listener.bind().await.map_err(|error| {
        let headline = format!("cannot listen on {place}: {error}");
        Error::new(Reason::Config, headline, "give another address with `--listen`, or port 0 for any that is free")
            .caused_by(error)
    })?;
    let metrics = Metrics::new(health.clone(), custom);
    let task = Arc::new(AbortOnDropHandle::new(tokio::spawn(serve(socket, metrics.clone(), tls))));
    Ok(Some(Listening {
        metrics,
        _task: task,
        #[cfg(feature = "webhooks")]
        _certificate: certificate,
    }))
}

/// Accepts connections with the certificate in files, if there is one. The task reads them again.
#[cfg(feature = "webhooks")]
fn from_files(custom: &mut Custom) -> Result<Option<Arc<AbortOnDropHandle<()>>>> {
    let Some((certificate, key)) = custom.certificate.take() else { return Ok(None) };
    let files = Files { certificate, key };
    let first = files.read().map_err(|why| {
        let help = "give PEM files that belong together with `--listen-cert` and `--listen-key`";
        Error::new(Reason::Config, format!("the certificate of the listener cannot be used: {why}"), help)
    })?;
    let (served, current) = watch::channel(first);
    custom.tls = Some(acceptor(current));
    let follow = async move { files.follow("listener", &served).await };
    Ok(Some(Arc::new(AbortOnDropHandle::new(tokio::spawn(follow)))))
}
