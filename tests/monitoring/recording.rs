//! Scrapes of a replica at equal intervals, as Prometheus stores them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Duration;

use evenkeel_tests::listener::samples;

/// The time between two scrapes.
pub const INTERVAL: Duration = Duration::from_secs(30);

/// The scrapes of a replica; `None` is a scrape that failed.
#[derive(Clone, Debug, Default)]
pub struct Recording(pub Vec<Option<BTreeMap<String, f64>>>);

impl Recording {
    /// Scrapes for this many minutes of virtual time.
    pub async fn of(address: SocketAddr, minutes: u32) -> Self {
        let mut recording = Self::default();
        recording.extend(address, minutes).await;
        recording
    }

    /// Scrapes on for this many minutes.
    pub async fn extend(&mut self, address: SocketAddr, minutes: u32) {
        for _ in 0..minutes * 60 / u32::try_from(INTERVAL.as_secs()).unwrap() {
            self.0.push(Some(samples(address).await));
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Nothing answers for this many minutes.
    pub fn is_down_for(&mut self, minutes: u64) {
        self.repeat(None, minutes);
    }

    /// The metrics stay the same for this many minutes.
    pub fn stays_for(&mut self, minutes: u64) {
        self.repeat(self.0.last().cloned().flatten(), minutes);
    }

    fn repeat(&mut self, scrape: Option<BTreeMap<String, f64>>, minutes: u64) {
        let scrapes = usize::try_from(minutes * 60 / INTERVAL.as_secs()).unwrap();
        self.0.extend(std::iter::repeat_n(scrape, scrapes));
    }

    /// The series as `promtool test rules` reads them, of the metrics that occur in the rules, with the labels that Prometheus adds.
    pub fn series(&self, job: &str, instance: &str, rules: &str) -> String {
        let names: BTreeSet<&String> = self.0.iter().flatten().flat_map(BTreeMap::keys).collect();
        let used = names.into_iter().filter(|name| rules.contains(name.split('{').next().unwrap()));
        used.fold(String::new(), |mut text, name| {
            let values: Vec<String> = self.0.iter().map(|scrape| value(scrape.as_ref(), name)).collect();
            let series = labelled(name, job, instance).replace('\'', "''");
            writeln!(text, "  - series: '{series}'\n    values: '{}'", values.join(" ")).unwrap();
            text
        })
    }
}

fn value(scrape: Option<&BTreeMap<String, f64>>, name: &str) -> String {
    scrape.and_then(|scrape| scrape.get(name)).map_or_else(|| "stale".to_owned(), |value| format!("{value:.6}"))
}

/// The series with the labels of its target.
pub fn labelled(name: &str, job: &str, instance: &str) -> String {
    let target = format!("job=\"{job}\",namespace=\"ops\",instance=\"{instance}\"");
    match name.split_once('{') {
        Some((name, rest)) => format!("{name}{{{target},{rest}"),
        None => format!("{name}{{{target}}}"),
    }
}
