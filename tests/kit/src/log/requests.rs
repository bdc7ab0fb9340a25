//! Requests chosen from the log, and what a test may say about them.

use std::collections::BTreeMap;
use std::fmt;

use crate::diff::diff;
use crate::log::Entry;
use crate::registry::Verb;

/// Requests from the log, oldest first; each method keeps some of them. Every assertion shows the requests when it fails.
///
/// ```
/// # use evenkeel_testkit::{Cluster, Verb};
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use kube::api::{ListParams, PostParams};
/// # use kube::Api;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> kube::Result<()> {
/// let cluster = Cluster::start().await;
/// let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
/// let mut map = ConfigMap::default();
/// map.metadata.name = Some("a".into());
/// maps.create(&PostParams { field_manager: Some("me".into()), ..PostParams::default() }, &map).await?;
/// maps.list(&ListParams::default()).await?;
///
/// let requests = cluster.log().requests();
/// requests.writes().assert_eq(["create configmaps default/a"]);
/// requests.writes().resource("secrets").assert_none();
/// requests.assert_counts([("me: create configmaps", 1), ("unknown: list configmaps", 1)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Requests(Vec<Entry>);

impl Requests {
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        Self(entries)
    }

    /// Those that the test holds for.
    #[must_use]
    pub fn filter(&self, test: impl Fn(&Entry) -> bool) -> Self {
        Self(self.0.iter().filter(|entry| test(entry)).cloned().collect())
    }

    /// Those that were to change something, dry runs left out.
    #[must_use]
    pub fn writes(&self) -> Self {
        self.filter(|entry| entry.is_write() && !entry.dry_run)
    }

    /// Those that only read: get, list, watch.
    #[must_use]
    pub fn reads(&self) -> Self {
        self.filter(|entry| !entry.is_write())
    }

    /// Those with this verb.
    #[must_use]
    pub fn verb(&self, verb: Verb) -> Self {
        self.filter(|entry| entry.verb == verb)
    }

    /// Those about this plural, such as "configmaps", its subresources included.
    #[must_use]
    pub fn resource(&self, plural: &str) -> Self {
        self.filter(|entry| entry.resource == plural)
    }

    /// Those about other plurals than this one.
    #[must_use]
    pub fn without(&self, plural: &str) -> Self {
        self.filter(|entry| entry.resource != plural)
    }

    /// Those about this subresource, such as "status".
    #[must_use]
    pub fn subresource(&self, name: &str) -> Self {
        self.filter(|entry| entry.subresource.as_deref() == Some(name))
    }

    /// Those of this [caller](Entry::caller).
    #[must_use]
    pub fn by(&self, caller: &str) -> Self {
        self.filter(|entry| entry.caller() == caller)
    }

    /// The requests.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// One [line](Entry::line) for each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(Entry::line).collect()
    }

    /// How often each caller asked what: `me: patch widgets/status`, without namespaces and names.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for entry in &self.0 {
            let line = Entry { namespace: None, name: None, ..entry.clone() }.line();
            *counts.entry(format!("{}: {line}", entry.caller())).or_default() += 1;
        }
        counts
    }

    /// They are these, in this order, as [lines](Entry::line).
    ///
    /// # Panics
    /// When they are not.
    #[track_caller]
    pub fn assert_eq<L: AsRef<str>>(&self, wanted: impl IntoIterator<Item = L>) {
        let wanted: Vec<String> = wanted.into_iter().map(|line| line.as_ref().to_owned()).collect();
        compare("the requests", &wanted, &self.lines());
    }

    /// They are counted like this, and there are no others; see [`counts`](Requests::counts).
    ///
    /// # Panics
    /// When they are not.
    #[track_caller]
    pub fn assert_counts<L: AsRef<str>>(&self, wanted: impl IntoIterator<Item = (L, usize)>) {
        let line = |(what, times): (String, usize)| format!("{what} {times}");
        let mut wanted: Vec<_> = wanted.into_iter().map(|(what, n)| line((what.as_ref().to_owned(), n))).collect();
        let mut found: Vec<_> = self.counts().into_iter().map(line).collect();
        wanted.sort();
        found.sort();
        compare("the counts of the requests", &wanted, &found);
    }

    /// There are none: `log.requests().writes().assert_none()`.
    ///
    /// # Panics
    /// When there are some.
    #[track_caller]
    pub fn assert_none(&self) {
        assert!(self.0.is_empty(), "no such request was expected:\n{self}");
    }
}

impl fmt::Display for Requests {
    /// A line for each, with its code and caller.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|entry| writeln!(f, "  {} {} by {}", entry.code, entry.line(), entry.caller()))
    }
}

#[track_caller]
fn compare(what: &str, wanted: &[String], found: &[String]) {
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    if let Some(difference) = diff(&text(wanted), &text(found)) {
        panic!("{what} are not as expected: - wanted, + found\n{difference}");
    }
}
