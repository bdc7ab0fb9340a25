//! Requests selected from the log, with assertions on them.

use std::collections::BTreeMap;
use std::fmt;

use crate::diff::diff;
use crate::log::Entry;
use crate::registry::Verb;

/// Requests from the log, oldest first, with filters and assertions.
///
/// An assertion that fails shows the requests.
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

    /// Selects the requests that match a predicate.
    #[must_use]
    pub fn filter(&self, test: impl Fn(&Entry) -> bool) -> Self {
        Self(self.0.iter().filter(|entry| test(entry)).cloned().collect())
    }

    /// Selects the write requests, without dry runs.
    #[must_use]
    pub fn writes(&self) -> Self {
        self.filter(|entry| entry.is_write() && !entry.dry_run)
    }

    /// Selects the read requests: get, list and watch.
    #[must_use]
    pub fn reads(&self) -> Self {
        self.filter(|entry| !entry.is_write())
    }

    /// Selects the requests with a verb.
    #[must_use]
    pub fn verb(&self, verb: Verb) -> Self {
        self.filter(|entry| entry.verb == verb)
    }

    /// Selects the requests for a resource (plural), such as "configmaps".
    ///
    /// This includes requests for its subresources.
    #[must_use]
    pub fn resource(&self, plural: &str) -> Self {
        self.filter(|entry| entry.resource == plural)
    }

    /// Excludes the requests for a resource (plural).
    #[must_use]
    pub fn without(&self, plural: &str) -> Self {
        self.filter(|entry| entry.resource != plural)
    }

    /// Selects the requests for a subresource, such as "status".
    #[must_use]
    pub fn subresource(&self, name: &str) -> Self {
        self.filter(|entry| entry.subresource.as_deref() == Some(name))
    }

    /// Selects the requests of a [caller](Entry::caller).
    #[must_use]
    pub fn by(&self, caller: &str) -> Self {
        self.filter(|entry| entry.caller() == caller)
    }

    /// Returns the selected requests.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }

    /// Returns the number of requests.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns one [line](Entry::line) per request.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(Entry::line).collect()
    }

    /// Counts the requests by caller, verb and resource.
    ///
    /// A key is a text such as `me: patch widgets/status`.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for entry in &self.0 {
            let line = Entry { namespace: None, name: None, ..entry.clone() }.line();
            *counts.entry(format!("{}: {line}", entry.caller())).or_default() += 1;
        }
        counts
    }

    /// Asserts that the requests are exactly these [lines](Entry::line), in order.
    ///
    /// # Panics
    /// Panics if they differ.
    #[track_caller]
    pub fn assert_eq<L: AsRef<str>>(&self, wanted: impl IntoIterator<Item = L>) {
        let wanted: Vec<String> = wanted.into_iter().map(|line| line.as_ref().to_owned()).collect();
        compare("the requests", &wanted, &self.lines());
    }

    /// Asserts that the [counts](Requests::counts) are exactly these, in any order.
    ///
    /// # Panics
    /// Panics if they differ.
    #[track_caller]
    pub fn assert_counts<L: AsRef<str>>(&self, wanted: impl IntoIterator<Item = (L, usize)>) {
        let line = |(what, times): (String, usize)| format!("{what} {times}");
        let mut wanted: Vec<_> = wanted.into_iter().map(|(what, n)| line((what.as_ref().to_owned(), n))).collect();
        let mut found: Vec<_> = self.counts().into_iter().map(line).collect();
        wanted.sort();
        found.sort();
        compare("the counts of the requests", &wanted, &found);
    }

    /// Asserts that there are none: `log.requests().writes().assert_none()`.
    ///
    /// # Panics
    /// Panics if there is one.
    #[track_caller]
    pub fn assert_none(&self) {
        assert!(self.0.is_empty(), "no such request was expected:\n{self}");
    }
}

impl fmt::Display for Requests {
    /// Lists one line per request, with its status code, its caller and the impersonated user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|entry| {
            let user = entry.impersonated.as_ref().map(|user| format!(" as {user}")).unwrap_or_default();
            writeln!(f, "  {} {} by {}{user}", entry.code, entry.line(), entry.caller())
        })
    }
}

#[track_caller]
fn compare(what: &str, wanted: &[String], found: &[String]) {
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    if let Some(difference) = diff(&text(wanted), &text(found)) {
        panic!("{what} are not as expected: - wanted, + found\n{difference}");
    }
}
