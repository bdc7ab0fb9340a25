//! The alerts about webhooks, conversions and their certificate.

use super::alert::{Alert, AlertName};
use super::monitored::Monitored;
use super::query::{PLACE, by, increase, of_job, select};

/// 14 days in seconds. The operator renews its own certificate 30 days before it expires.
const SOON: f64 = 14.0 * 86_400.0;

/// The alerts of an operator with a webhook server.
pub(super) fn alerts(monitored: &Monitored, job: &str) -> Vec<Alert> {
    let job = of_job(job);
    let server =
        if monitored.serves_webhooks { vec![certificate_soon(&job), bundle_repairs(&job)] } else { Vec::new() };
    let reviews = monitored.reviews.then(|| reviews_failing(&job));
    let conversions = monitored.converts.then(|| conversions_failing(&job));
    server.into_iter().chain(reviews).chain(conversions).collect()
}

fn certificate_soon(job: &str) -> Alert {
    let expires = select("evenkeel_webhook_certificate_expiration_timestamp_seconds", &[job]);
    let query = format!("{} - time()", by("min", PLACE, &expires));
    let texts = (
        "The certificate of the webhook server expires soon",
        "The certificate of the webhook server of {{ $labels.job }} expires in {{ $value | humanizeDuration }}.",
    );
    let runbook = include_str!("runbooks/certificate_soon.md");
    Alert::known(AlertName::CertificateSoon, query, texts, runbook).below(SOON).for_minutes(60).critical()
}

fn bundle_repairs(job: &str) -> Alert {
    let writes = increase(&select("evenkeel_webhook_bundle_writes_total", &[job]), "1h");
    let texts = (
        "Another program removes the bundle from the webhook configurations",
        "{{ $labels.job }} wrote its bundle {{ $value | humanize }} times within an hour.",
    );
    let runbook = include_str!("runbooks/bundle_repairs.md");
    Alert::known(AlertName::BundleRepairs, by("sum", PLACE, &writes), texts, runbook).above(5.0)
}

fn reviews_failing(job: &str) -> Alert {
    let results = "result=~\"undecodable|unavailable|panic|timeout\"";
    let failed = increase(&select("evenkeel_admission_reviews_total", &[job, results]), "15m");
    let query = by("sum", &format!("{PLACE}, function, result"), &failed);
    let texts = (
        "Reviews of writes fail",
        "{{ $value | humanize }} reviews by {{ $labels.function }} failed within 15 minutes: {{ $labels.result }}.",
    );
    Alert::known(AlertName::ReviewsFailing, query, texts, include_str!("runbooks/reviews_failing.md"))
}

fn conversions_failing(job: &str) -> Alert {
    let failed = increase(&select("evenkeel_conversions_total", &[job, "result!=\"converted\""]), "15m");
    let query = by("sum", &format!("{PLACE}, crd, version, result"), &failed);
    let texts = (
        "Objects cannot be converted",
        "{{ $value | humanize }} conversions of {{ $labels.crd }} to {{ $labels.version }} failed within 15 minutes: {{ $labels.result }}.",
    );
    Alert::known(AlertName::ConversionsFailing, query, texts, include_str!("runbooks/conversions_failing.md"))
}
