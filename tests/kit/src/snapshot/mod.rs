//! Reproducible snapshots of the objects in a cluster.

mod choice;
pub(crate) mod marks;
mod redact;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::cluster::Cluster;
pub(crate) use choice::Choice;
pub(crate) use redact::Redactor;

/// Objects in a reproducible form, for golden files and comparisons.
///
/// All values that differ between runs are removed or replaced:
///
/// - `uid`, `resourceVersion` and `creationTimestamp` are removed from the metadata. Elsewhere a uid is replaced by
///   `<uid of Widget w>`, also in the encoded data of a Secret.
/// - Timestamps are replaced by `<time>`, also in messages.
/// - Digests in the marks of dependents of evenkeel and in the status of their component are replaced by `<digest>`.
/// - Names from `generateName` are replaced by `job-<1>`, with the same number at each occurrence.
/// - Conditions are sorted by type; finalizers and keys are sorted alphabetically.
/// - CRDs, Events, Leases, the initial namespaces and `managedFields` are excluded.
///
/// A snapshot implements `Display` and `Serialize` and works with [insta](https://insta.rs):
/// `insta::assert_snapshot!(cluster.snapshot())`. It needs no redactions of insta, which cannot replace a generated name
/// or uid consistently across objects. Without insta, [`assert_matches`](Snapshot::assert_matches) compares with a file.
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
    /// Creates a snapshot of given objects, such as the items of a list.
    ///
    /// # Errors
    /// Returns an error if an object cannot be serialized to JSON.
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

    /// Includes a resource that is excluded by default, such as "events".
    #[must_use]
    pub fn with(mut self, plural: &str) -> Self {
        self.choice.shown.push(plural.to_owned());
        self
    }

    /// Excludes a resource, such as "secrets".
    #[must_use]
    pub fn without(mut self, plural: &str) -> Self {
        self.choice.hidden.push(plural.to_owned());
        self
    }

    /// Excludes a field of all objects, such as `status.lastHandledAt`.
    #[must_use]
    pub fn ignore(mut self, field: &str) -> Self {
        self.choice.ignored.push(field.to_owned());
        self
    }

    /// Includes `managedFields`, with redacted timestamps.
    #[must_use]
    pub fn with_field_owners(mut self) -> Self {
        self.choice.owners = true;
        self
    }

    /// Includes the digests of dependents, which change with each change of their content.
    ///
    /// ```
    /// use evenkeel_testkit::{Cluster, Snapshot};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let cluster = Cluster::start().await;
    /// let digest = "0123456789abcdef0123456789abcdef";
    /// let marks = format!("labels: {{evenkeel.dev/operator: shops, evenkeel.dev/dependent-of: '{digest}'}}");
    /// cluster.seed(&*format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, {marks}}}}}")).await.unwrap();
    /// assert!(cluster.snapshot().to_string().contains("evenkeel.dev/dependent-of: <digest>\n"));
    /// assert!(cluster.snapshot().with_digests().to_string().contains(digest));
    /// # }
    /// ```
    #[must_use]
    pub fn with_digests(mut self) -> Self {
        self.choice.digests = true;
        self
    }

    /// Returns the objects in their reproducible form.
    ///
    /// They are sorted by resource, namespace and name.
    #[must_use]
    pub fn objects(&self) -> Vec<Value> {
        let shown: Vec<&Value> = self
            .objects
            .iter()
            .filter(|(plural, object)| self.choice.shows(plural, object))
            .map(|(_, object)| object)
            .collect();
        let redactor = Redactor::new(&shown);
        let redacted = shown.into_iter().map(|object| {
            let mut object = redactor.object(self.choice.cut(object.clone()));
            if !self.choice.digests {
                marks::redact(&mut object);
            }
            object
        });
        redacted.collect()
    }

    /// Asserts that a file contains this snapshot.
    ///
    /// With `GENERATED=overwrite` in the environment, it writes the file instead, as
    /// [`assert_generated`](crate::assert_generated) does.
    ///
    /// ```no_run
    /// # async fn test(cluster: evenkeel_testkit::Cluster) {
    /// cluster.snapshot().assert_matches("tests/snapshots/a_new_widget.yaml");
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the file differs or cannot be read, or, with `GENERATED=overwrite`, if it cannot be written.
    #[track_caller]
    pub fn assert_matches(&self, path: impl AsRef<Path>) {
        crate::golden_file::assert_generated(path, &self.to_string());
    }
}

impl fmt::Display for Snapshot {
    /// Writes one YAML document per object.
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
    /// Returns all objects of the cluster in a reproducible form.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let stored = self.server().store.all().into_iter();
        let objects = stored.map(|(storage, object)| (storage.plural.to_string(), Value::clone(&object)));
        Snapshot::new(objects.collect())
    }
}
