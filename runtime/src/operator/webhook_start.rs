//! The start of the webhook server, and its part in `/readyz`.

#[cfg(any(test, feature = "metrics"))]
use std::time::Duration;

use tokio::sync::watch;
#[cfg(any(test, feature = "metrics"))]
use tokio::time::Instant;

use super::builder::Operator;
use super::controller::OperatorContext;
#[cfg(feature = "metrics")]
use super::conversion_metrics;
use super::error::{Error, Reason, Result};
use super::spoke_check;
#[cfg(feature = "metrics")]
use super::webhook_metrics::WebhookMetrics;
use super::webhook_server::WebhookServer;
use super::webhooks::converted;
use crate::webhook::{self, Served, Serving};

/// How long `/readyz` waits for the bundle after the start. A replica that waited longer could block a roll-out for ever.
#[cfg(any(test, feature = "metrics"))]
const SPREAD: Duration = Duration::from_secs(30);

/// A server that is about to start.
pub(super) struct Prepared {
    server: WebhookServer,
    served: watch::Sender<Served>,
}

/// Registers the check of the server, before the listener of the probes starts.
pub(super) fn prepare(operator: &mut Operator) -> Option<Prepared> {
    #[cfg(feature = "routes")]
    super::routes::warn_if_unserved(operator);
    spoke_check::warn_without_server(operator);
    #[cfg(feature = "metrics")]
    if let (false, Ok(converters)) = (operator.reviews.spokes.is_empty(), spoke_check::converters(operator)) {
        conversion_metrics::register(operator, &converters);
    }
    let server = operator.reviews.server.take()?;
    let (served, _) = watch::channel(Served::default());
    #[cfg(feature = "metrics")]
    {
        let (current, begin) = (served.subscribe(), Instant::now());
        let check = move || std::future::ready(ready(&current.borrow(), begin));
        operator.custom.readyz.add("webhooks", check);
        operator.custom.serves_webhooks = true;
        operator.custom.tls = operator.custom.wants_tls.then(|| webhook::acceptor(served.subscribe()));
        let metrics = WebhookMetrics(served.subscribe());
        operator.custom.framework.register_collector(Box::new(metrics));
    }
    Some(Prepared { server, served })
}

/// Whether the server can be called: it has a certificate, and the API servers have had the time to trust it.
#[cfg(any(test, feature = "metrics"))]
fn ready(served: &Served, begin: Instant) -> Result<(), String> {
    match (&served.certified, &served.error) {
        (None, Some(error)) => Err(error.clone()),
        (None, None) => Err("there is no certificate yet".to_owned()),
        (Some(_), _) if !served.is_spread && begin.elapsed() < SPREAD => {
            Err("the bundle is not in the webhook configurations yet".to_owned())
        }
        (Some(_), _) => Ok(()),
    }
}

/// Starts the server.
///
/// # Errors
/// The address cannot be bound, the files of the certificate cannot be used, or the functions contradict each other.
pub(super) async fn start(prepared: Prepared, operator: &Operator, context: &OperatorContext) -> Result<Serving> {
    let Prepared { server, served } = prepared;
    let reviews = operator.admission_service()?.into_router();
    let router = operator.conversion_service()?.into_router().merge(reviews);
    let namespace = context.client.default_namespace();
    #[cfg(feature = "routes")]
    let router = super::routes::serve(router, operator, context, server.audience_for(&operator.name, namespace))?;
    let source = server.source(&operator.name, namespace, converted(operator));
    let place = server.listener.to_string();
    let config = |headline: String, help: &str| Error::new(Reason::Config, headline, help);
    let socket = server.listener.bind().await.map_err(|error| {
        let headline = format!("the webhook server cannot listen on {place}: {error}");
        config(headline, "give another address with `--webhooks`").caused_by(error)
    })?;
    let first = source.first().map_err(|why| {
        let help = "put `tls.crt` and `tls.key` into the folder of `--webhook-certs`, or leave the flag out";
        config(format!("the certificate of the webhook server cannot be used: {why}"), help)
    })?;
    served.send_replace(first);
    Ok(webhook::start(socket, source, served, context.client.clone(), router, context.stop.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn readiness_waits_for_the_bundle_only_for_a_while() {
        let begin = Instant::now();
        let mut served = Served::default();
        assert!(ready(&served, begin).unwrap_err().contains("no certificate"));
        served.error = Some("forbidden".to_owned());
        assert_eq!(ready(&served, begin).unwrap_err(), "forbidden");
        served.certified = Some(crate::webhook::tests_certified());
        assert!(ready(&served, begin).unwrap_err().contains("bundle"));
        tokio::time::advance(SPREAD).await;
        assert_eq!(ready(&served, begin), Ok(()));
    }
}
