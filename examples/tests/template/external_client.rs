//! The client of an external system behind a trait, as the page about the template shows it.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use evenkeel::prelude::*;
use kube::ResourceExt;

use crate::api::{DNSZone, DNSZoneCondition, on};

#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum ProviderError {
    /// The provider cannot be reached.
    #[error("the provider does not answer")]
    #[class(transient)]
    NoAnswer,
}

/// The answer to a call.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<(), ProviderError>> + Send + 'a>>;

/// The calls that the steps make.
pub trait Provider: Send + Sync {
    /// Creates or replaces a record.
    fn put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a>;
}

/// The dependency of the steps. Clones share the provider.
#[derive(Clone)]
pub struct Dns(Arc<dyn Provider>);

impl Dns {
    pub fn new(provider: impl Provider + 'static) -> Self {
        Self(Arc::new(provider))
    }
}

impl Deref for Dns {
    type Target = dyn Provider;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Publishes the text as a record.
#[sub_reconciler(sets(on::Published))]
pub async fn publish(zone: &DNSZone, dns: &Dns, _cx: &mut Cx) -> Result<(), ProviderError> {
    dns.put(&zone.name_any(), &zone.spec.text).await
}

#[reconciler(conditions = DNSZoneCondition)]
pub async fn reconcile(zone: &DNSZone, dns: &Dns, cx: &mut Pass<'_>) -> PassResult {
    publish(zone, dns, cx).await?;
    Ok(())
}

// In the tests:
use std::collections::BTreeMap;
use std::sync::Mutex;

use evenkeel_testkit::Row;

use crate::api::DNSZoneSpec;

/// A provider that holds its records in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<BTreeMap<String, String>>>);

impl Provider for Memory {
    fn put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a> {
        let put = self.0.lock().map(|mut records| records.insert(name.to_owned(), text.to_owned()));
        Box::pin(std::future::ready(put.map(drop).map_err(|_| ProviderError::NoAnswer)))
    }
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_zone_becomes_a_record() {
    let (zone, memory) = (DNSZone::new("a", DNSZoneSpec { text: "hello".to_owned() }), Memory::default());
    let seen = Row::new("a new zone").given(&zone).pass::<reconcile>(Dns::new(memory.clone())).await;
    seen.expect(
        "
        writes: [patch dnszones/status default/a]
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Published: True Succeeded}
        ",
    );
    assert_eq!(*memory.0.lock().unwrap(), BTreeMap::from([("a".to_owned(), "hello".to_owned())]));
}
