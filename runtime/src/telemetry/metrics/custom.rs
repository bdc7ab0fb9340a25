//! Metrics and health checks of the author, which the listener serves with those of the framework.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use prometheus_client::encoding::text;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tokio::time::timeout;

use super::guard::Guard;
use super::tls::Tls;
use crate::condition::sanitize;

/// How long a check may take: less than the default time-out of a probe, which is one second.
const CHECK_TIMEOUT: Duration = Duration::from_millis(900);
/// The prefixes of the framework's metrics.
const RESERVED: [&str; 5] = ["controller_runtime_", "evenkeel_", "leader_election_", "rest_client_", "workqueue_"];

type Run = Box<dyn Fn() -> BoxFuture<'static, Result<String, String>> + Send + Sync>;

/// A health check with its name.
struct Check {
    name: String,
    run: Run,
}

/// The result of a health page: whether it is healthy, and its text.
#[derive(Debug, PartialEq)]
pub(super) struct Checked {
    pub(super) healthy: bool,
    pub(super) text: String,
}

/// The checks of one path, which run concurrently.
#[derive(Default)]
pub(crate) struct Checks(Vec<Check>);

impl Checks {
    pub(crate) fn add<F, E>(&mut self, name: &str, check: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display,
    {
        let without_text = |checked: Result<(), E>| checked.map(|()| String::new()).map_err(|error| error.to_string());
        self.add_with_text(name, move || check().map(without_text));
    }

    /// Adds a check that has a text for its success.
    pub(crate) fn add_with_text<F>(&mut self, name: &str, check: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        self.0.push(Check { name: name.to_owned(), run: Box::new(move || check().boxed()) });
    }

    /// Whether all checks succeed, and a line for each in the form of the API server's health pages.
    pub(super) async fn verdict(&self) -> Checked {
        let results = join_all(self.0.iter().map(Check::result)).await;
        let healthy = results.iter().all(Result::is_ok);
        let lines = self.0.iter().zip(results).map(|(check, result)| match result {
            Ok(text) if text.is_empty() => format!("[+]{} ok\n", check.name),
            Ok(text) => format!("[+]{} ok: {}\n", check.name, sanitize(&text)),
            Err(why) => format!("[-]{} failed: {}\n", check.name, sanitize(&why)),
        });
        Checked { healthy, text: lines.collect() }
    }
}

impl Check {
    async fn result(&self) -> Result<String, String> {
        // The call itself may panic, too.
        let run = AssertUnwindSafe(async { (self.run)().await }).catch_unwind();
        match timeout(CHECK_TIMEOUT, run).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err("the check panicked".into()),
            Err(_) => Err(format!("no result within {CHECK_TIMEOUT:?}")),
        }
    }
}

/// The metrics and health checks of the author.
#[derive(Default)]
pub(crate) struct Custom {
    pub(crate) registry: Registry,
    /// Metrics of the framework beyond those of reconcilers.
    pub(crate) framework: Registry,
    pub(crate) healthz: Checks,
    pub(crate) readyz: Checks,
    /// Whether the operator is ready before it has listed all objects, since API servers call it.
    pub(crate) serves_webhooks: bool,
    /// Who may read the pages other than probes.
    pub(crate) guard: Guard,
    /// Whether the listener has TLS.
    pub(crate) wants_tls: bool,
    /// The files of the listener's certificate and of its key.
    #[cfg(feature = "webhooks")]
    pub(crate) certificate: Option<(std::path::PathBuf, std::path::PathBuf)>,
    /// Accepts connections over TLS, once the webhook server is prepared.
    pub(crate) tls: Option<Tls>,
}

impl Custom {
    /// Adds the feature gates, each by name, stage and value, as the metric that Kubernetes components have.
    pub(crate) fn add_gates(&mut self, gates: impl Iterator<Item = (&'static str, &'static str, bool)>) {
        let family = Family::<[(&'static str, &'static str); 2], Gauge>::default();
        let mut is_empty = true;
        for (name, stage, enabled) in gates {
            family.get_or_create(&[("name", name), ("stage", stage)]).set(enabled.into());
            is_empty = false;
        }
        if !is_empty {
            let help = "Whether a feature is enabled";
            self.registry.register("kubernetes_feature_enabled", help, family);
        }
    }

    /// The metrics as text, without the end marker. Empty, with an error in the log, if a collector panics or fails.
    pub(super) fn text(&self) -> String {
        let encode = || {
            let mut text = String::new();
            text::encode_registry(&mut text, &self.registry).map(|()| text)
        };
        match catch_unwind(AssertUnwindSafe(encode)) {
            Ok(Ok(text)) => text,
            failed => {
                let error = failed.map_or_else(|_| "a collector panicked".to_owned(), |_| "encoding failed".to_owned());
                tracing::error!(error, "the metrics of the program are missing in this scrape");
                String::new()
            }
        }
    }

    /// Whether the author has a metric of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.text().contains(&format!("# TYPE {name} "))
    }

    /// The metrics whose names begin like those of the framework.
    pub(crate) fn reserved_names(&self) -> Vec<String> {
        let text = self.text();
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        let reserved = names.filter(|name| RESERVED.iter().any(|prefix| name.starts_with(prefix)));
        reserved.map(ToOwned::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::metrics::counter::Counter;

    use super::*;

    fn checks(add: impl FnOnce(&mut Checks)) -> Checks {
        let mut checks = Checks::default();
        add(&mut checks);
        checks
    }

    #[tokio::test(start_paused = true)]
    async fn a_check_that_hangs_or_panics_fails_alone() {
        let checks = checks(|checks| {
            checks.add("fine", async || Ok::<_, String>(()));
            checks.add("slow", std::future::pending::<Result<(), String>>);
            checks.add("broken", async || -> Result<(), String> { panic!("as the test wished") });
            checks.add("down", async || Err("two\nlines"));
        });
        let Checked { healthy, text } = checks.verdict().await;
        assert!(!healthy);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["[+]fine ok", "[-]slow failed: no result within 900ms", "[-]broken failed: the check panicked"]
        );
        assert!(lines.len() == 4 && lines[3].starts_with("[-]down failed: two"), "{text}");
        assert_eq!(Checks::default().verdict().await, Checked { healthy: true, text: String::new() });
    }

    #[test]
    fn a_reserved_name_is_found() {
        let mut custom = Custom::default();
        custom.registry.register("repositories", "Repositories", Counter::<u64>::default());
        assert_eq!(custom.reserved_names(), Vec::<String>::new());
        custom.registry.register("workqueue_mine", "Mine", Counter::<u64>::default());
        assert_eq!(custom.reserved_names(), ["workqueue_mine"]);
    }
}
