//! The metrics of an operator: the registry and the reconcilers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use super::calls::Calls;
use super::custom::Custom;
use super::families::Families;
use super::process;
use super::reconciler::{ReconcilerMetrics, Subjects};
#[cfg(feature = "webhooks")]
use super::reviews::Reviews;
#[cfg(feature = "routes")]
use super::routes::Routes;
use super::scrape::Scrape;
#[cfg(feature = "webhooks")]
use crate::pipeline::admission::meter::ReviewMeter;
#[cfg(feature = "routes")]
use crate::pipeline::route::meter::RouteMeter;
use crate::queue::meter::CallMeter;
use crate::watch::Health;
#[cfg(feature = "webhooks")]
use crate::wiring::admission::AdmissionWiring;
use crate::wiring::{KindInfo, Wiring};

/// The metrics of an operator. Clones share one registry.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Inner>);

struct Inner {
    families: Families,
    calls: Arc<Calls>,
    registry: Registry,
    subjects: Subjects,
    health: Health,
    custom: Custom,
    started: AtomicBool,
}

impl Metrics {
    pub(crate) fn new(health: Health, custom: Custom) -> Self {
        let (families, calls, subjects) = (Families::new(), Arc::new(Calls::new()), Subjects::default());
        let mut registry = Registry::default();
        families.register(&mut registry);
        calls.register(&mut registry);
        let has_memory = custom.has(process::MEMORY);
        let scrape = Scrape { subjects: subjects.clone(), health: health.clone(), has_memory };
        registry.register_collector(Box::new(scrape));
        let started = AtomicBool::new(false);
        Self(Arc::new(Inner { families, calls, registry, subjects, health, custom, started }))
    }

    /// Creates the series of a reconciler.
    pub(crate) fn controller(&self, wiring: &Wiring, kind: &KindInfo, concurrency: usize) -> Arc<ReconcilerMetrics> {
        let controller = Arc::new(ReconcilerMetrics::new(&self.0.families, wiring, &kind.resource.kind, concurrency));
        self.0.calls.know(wiring, kind);
        self.0.subjects.add(controller.clone());
        controller
    }

    /// Creates the series of the functions that review writes.
    #[cfg(feature = "webhooks")]
    pub(crate) fn reviews<'w>(&self, functions: impl Iterator<Item = &'w AdmissionWiring>) -> ReviewMeter {
        ReviewMeter::new(Arc::new(Reviews::new(&self.0.families, functions)))
    }

    /// Creates the series of the functions that answer requests of users.
    #[cfg(feature = "routes")]
    pub(crate) fn routes(&self, functions: impl Iterator<Item = &'static str>) -> RouteMeter {
        RouteMeter::new(Arc::new(Routes::new(&self.0.families, functions)))
    }

    /// A meter for the calls to this host.
    pub(crate) fn calls(&self, host: &str) -> CallMeter {
        self.0.calls.to(host);
        CallMeter::new(self.0.calls.clone())
    }

    /// Records that all reconcilers have started.
    pub(crate) fn start(&self) {
        self.0.started.store(true, Ordering::SeqCst);
    }

    pub(super) fn has_started(&self) -> bool {
        self.0.started.load(Ordering::SeqCst)
    }

    pub(super) fn subjects(&self) -> Vec<Arc<ReconcilerMetrics>> {
        self.0.subjects.all()
    }

    pub(super) fn health(&self) -> &Health {
        &self.0.health
    }

    pub(crate) fn custom(&self) -> &Custom {
        &self.0.custom
    }

    /// All metrics as text.
    ///
    /// # Errors
    /// Writing to a string does not fail.
    pub(super) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        text::encode_registry(&mut text, &self.0.registry)?;
        text::encode_registry(&mut text, &self.0.custom.framework)?;
        text.push_str(&self.0.custom.text());
        text::encode_eof(&mut text)?;
        Ok(text)
    }
}
