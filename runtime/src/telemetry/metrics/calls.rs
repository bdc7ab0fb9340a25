//! Metrics of the calls to the API server.

use std::collections::HashMap;
use std::sync::OnceLock;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

use crate::lock::Mutex;
use crate::queue::meter::{Call, CountsCalls};
use crate::wiring::{KindInfo, Wiring};

type Labels<const N: usize> = [(&'static str, String); N];

/// The calls of all reconcilers.
pub(super) struct Calls {
    host: OnceLock<String>,
    requests: Family<Labels<3>, Counter>,
    calls: Family<Labels<4>, Counter>,
    /// The kinds in the wiring, by group and plural. Only these get their own label value.
    kinds: Mutex<HashMap<(String, String), String>>,
}

/// The kinds that the framework itself uses.
const OWN: [(&str, &str, &str); 2] = [
    ("events.k8s.io", "events", "Event"),
    ("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition"),
];

impl Calls {
    pub(super) fn new() -> Self {
        let own = OWN.map(|(group, plural, kind)| ((group.to_owned(), plural.to_owned()), kind.to_owned()));
        Self {
            host: OnceLock::new(),
            requests: Family::default(),
            calls: Family::default(),
            kinds: Mutex::new(own.into()),
        }
    }

    pub(super) fn register(&self, into: &mut Registry) {
        let text = "Calls to the API server, by code and method";
        into.register("rest_client_requests", text, self.requests.clone());
        let text = "Calls to the API server, by verb, kind, code and the step that made them";
        into.register("evenkeel_api_calls", text, self.calls.clone());
    }

    /// Sets the host label.
    pub(super) fn to(&self, host: &str) {
        let _ = self.host.set(host.to_owned());
    }

    /// Adds the kinds of this wiring to the known label values.
    pub(super) fn know(&self, wiring: &Wiring, own: &KindInfo) {
        let related = wiring.relations().filter_map(|relation| Some(relation.kind?()));
        let mut kinds = self.kinds.lock();
        for KindInfo { resource, .. } in related.chain([own.clone()]) {
            kinds.insert((resource.group.clone(), resource.plural.clone()), resource.kind.clone());
        }
    }

    fn kind(&self, call: &Call<'_>) -> String {
        let kinds = self.kinds.lock();
        let kind = kinds.get(&(call.group.to_owned(), call.plural.to_owned()));
        kind.map_or("other", String::as_str).to_owned()
    }
}

impl CountsCalls for Calls {
    fn call(&self, call: &Call<'_>) {
        // The same label value as in client-go.
        let code = call.code.map_or_else(|| "<error>".to_owned(), |code| code.to_string());
        let host = ("host", self.host.get().cloned().unwrap_or_default());
        let method = ("method", call.method.to_owned());
        self.requests.get_or_create(&[("code", code.clone()), method, host]).inc();
        let (verb, kind, step) = (call.verb.to_owned(), self.kind(call), call.step.to_owned());
        self.calls.get_or_create(&[("verb", verb), ("kind", kind), ("code", code), ("step", step)]).inc();
    }
}
