//! What a cluster holds, as a text that is the same in every run.

mod choice;
mod redact;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::cluster::Cluster;
pub(crate) use choice::Choice;
pub(crate) use redact::Redactor;

/// Objects as YAML that is the same in every run, for golden files and for comparisons.
///
/// - uid, resourceVersion and creationTimestamp are left out of the metadata; a uid elsewhere reads `<uid of Widget w>`
/// - moments read `<time>`, in messages, too
/// - names made from `generateName` read `job-<1>`, the same wherever they stand
/// - conditions are in the order of their types, finalizers and keys in the order of the alphabet
/// - definitions, events, leases and the namespaces of every cluster are left out, and so are field owners
///
/// It is `Display` and `Serialize`, so it goes into [insta](https://insta.rs) as it is: `insta::assert_snapshot!(cluster.snapshot())`.
/// Redactions of insta cannot give one generated name or uid the same stand-in in two objects; this has done so already. Without insta,
/// [`assert_matches`](Snapshot::assert_matches) compares with a file.
///
/// ```
/// # use evenkeel_testkit::Cluster;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let cluster = Cluster::start().await;
/// cluster.seed("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {at: '2026-01-01T00:00:00Z'}}").await.unwrap();
/// assert_eq!(
///     cluster.snapshot().to_string(),
///     "apiVersion: v1\ndata:\n  at: <time>\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: default\n"
/// );
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Snapshot {
    objects: Vec<(String, Value)>,
    choice: Choice,
}

impl Snapshot {
    /// A snapshot of objects that a test has at hand, such as the items of a list.
    ///
    /// # Errors
    /// When one of them is not JSON.
    pub fn of<T: Serialize>(objects: impl IntoIterator<Item = T>) -> serde_json::Result<Self> {
        let objects = objects.into_iter().map(|object| Ok((String::new(), serde_json::to_value(object)?)));
        Ok(Self::new(objects.collect::<serde_json::Result<_>>()?))
    }

    fn new(objects: Vec<(String, Value)>) -> Self {
        Self { objects, choice: Choice::default() }
    }

    pub(crate) fn chosen(self, choice: &Choice) -> Self {
        Self { choice: choice.clone(), ..self }
    }

    /// Takes in a resource that is left out otherwise, such as "events".
    #[must_use]
    pub fn with(mut self, plural: &str) -> Self {
        self.choice.shown.push(plural.to_owned());
        self
    }

    /// Leaves out a resource, such as "secrets".
    #[must_use]
    pub fn without(mut self, plural: &str) -> Self {
        self.choice.hidden.push(plural.to_owned());
        self
    }

    /// Leaves a field out of every object: `status.lastHandledAt`.
    #[must_use]
    pub fn ignore(mut self, field: &str) -> Self {
        self.choice.ignored.push(field.to_owned());
        self
    }

    /// Keeps field owners (`managedFields`), their times redacted.
    #[must_use]
    pub fn with_field_owners(mut self) -> Self {
        self.choice.owners = true;
        self
    }

    /// The objects in their stable form, by resource, namespace and name.
    #[must_use]
    pub fn objects(&self) -> Vec<Value> {
        let shown: Vec<&Value> = self
            .objects
            .iter()
            .filter(|(plural, object)| self.choice.shows(plural, object))
            .map(|(_, object)| object)
            .collect();
        let redactor = Redactor::new(&shown);
        shown.into_iter().map(|object| redactor.redacted(self.choice.cut(object.clone()))).collect()
    }

    /// Fails where the file does not hold this snapshot, and shows the difference. With `GENERATED=overwrite` in the environment it
    /// writes the file instead, as [`assert_generated`](crate::assert_generated) does.
    ///
    /// ```no_run
    /// # async fn test(cluster: evenkeel_testkit::Cluster) {
    /// cluster.snapshot().assert_matches("tests/snapshots/a_new_widget.yaml");
    /// # }
    /// ```
    ///
    /// # Panics
    /// The file differs or cannot be read; with `GENERATED=overwrite`: it cannot be written.
    #[track_caller]
    pub fn assert_matches(&self, path: impl AsRef<Path>) {
        crate::golden_file::assert_generated(path, &self.to_string());
    }
}

impl fmt::Display for Snapshot {
    /// A YAML document for each object.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, object) in self.objects().iter().enumerate() {
            let text = serde_saphyr::to_string(object).map_err(|_| fmt::Error)?;
            write!(f, "{}{text}", if nth > 0 { "---\n" } else { "" })?;
        }
        Ok(())
    }
}

impl Serialize for Snapshot {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.objects().serialize(serializer)
    }
}

impl Cluster {
    /// All objects of the cluster in a form that is the same in every run.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let stored = self.server().store.all().into_iter();
        let objects = stored.map(|(storage, object)| (storage.plural.to_string(), Value::clone(&object)));
        Snapshot::new(objects.collect())
    }
}
