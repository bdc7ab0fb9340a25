//! Stands for the client of a DNS provider, which most recipes use as the system outside of the cluster.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The client. Clones share the records.
#[derive(Clone, Debug, Default)]
pub struct Dns(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    hosts: BTreeSet<String>,
    calls: Vec<(String, Instant)>,
    failures: usize,
    latency: Duration,
}

/// An answer of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DnsError {
    #[error("the provider is busy")]
    Busy,
    #[error("the provider does not know this host")]
    UnknownHost,
}

impl Dns {
    /// Creates the record of a host, if there is none.
    pub async fn put(&self, host: &str) -> Result<(), DnsError> {
        self.called("put", host).await?;
        self.0.lock().unwrap().hosts.insert(host.to_owned());
        Ok(())
    }

    /// Removes the record of a host, if there is one.
    pub async fn remove(&self, host: &str) -> Result<(), DnsError> {
        self.called("remove", host).await?;
        self.0.lock().unwrap().hosts.remove(host);
        Ok(())
    }

    async fn called(&self, verb: &str, host: &str) -> Result<(), DnsError> {
        let latency = {
            let mut state = self.0.lock().unwrap();
            state.calls.push((format!("{verb} {host}"), Instant::now()));
            state.latency
        };
        sleep(latency).await;
        if !host.contains('.') {
            return Err(DnsError::UnknownHost);
        }
        let failures = &mut self.0.lock().unwrap().failures;
        if *failures == 0 {
            return Ok(());
        }
        *failures -= 1;
        Err(DnsError::Busy)
    }

    /// Whether the host has a record.
    pub fn has(&self, host: &str) -> bool {
        self.0.lock().unwrap().hosts.contains(host)
    }

    /// A person removes the record at the provider.
    pub fn lose(&self, host: &str) {
        self.0.lock().unwrap().hosts.remove(host);
    }

    /// The next calls fail.
    pub fn fail(&self, calls: usize) {
        self.0.lock().unwrap().failures = calls;
    }

    /// Each call takes this time.
    pub fn delay(&self, latency: Duration) {
        self.0.lock().unwrap().latency = latency;
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().calls.iter().map(|(call, _)| call.clone()).collect()
    }

    /// When the calls were made, in whole seconds after the first one.
    pub fn seconds(&self) -> Vec<u64> {
        let state = self.0.lock().unwrap();
        state.calls.iter().map(|(_, at)| (*at - state.calls[0].1).as_secs()).collect()
    }
}
