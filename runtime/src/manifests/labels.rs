//! The names and labels that all objects of an installation share.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use kube::core::ObjectMeta;

use super::options::ManifestOptions;
use super::parts::Parts;

/// The label by which Services, budgets and policies select the pods.
pub(super) const NAME: &str = "app.kubernetes.io/name";
/// The label by which a Deployment selects its pods, besides the name, where an operator has several Deployments.
const INSTANCE: &str = "app.kubernetes.io/instance";
const VERSION: &str = "app.kubernetes.io/version";
pub(super) const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The program that made the objects.
const EVENKEEL: &str = "evenkeel";

/// The operator and the choices, from which each object is made.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) parts: &'a Parts,
    pub(super) options: &'a ManifestOptions,
}

impl Source<'_> {
    /// The number of pods.
    pub(super) fn replicas(&self) -> u32 {
        let must_answer = self.parts.hooks.as_ref().is_some_and(|hooks| hooks.must_answer);
        self.options.replicas.map_or(if must_answer { 2 } else { 1 }, NonZeroU32::get)
    }

    /// Whether one of the pods must be chosen to work.
    pub(super) fn elects(&self) -> bool {
        self.options.elects || self.parts.elects || self.replicas() > 1
    }

    /// The name of an object: that of the operator with this ending.
    pub(super) fn name(&self, ending: &str) -> String {
        format!("{}{ending}", self.parts.name)
    }

    /// The metadata of an object in the namespace of the operator.
    pub(super) fn meta(&self, ending: &str) -> ObjectMeta {
        ObjectMeta { namespace: Some(self.options.namespace.clone()), ..self.cluster_meta(ending) }
    }

    /// The metadata of a cluster-scoped object.
    pub(super) fn cluster_meta(&self, ending: &str) -> ObjectMeta {
        ObjectMeta { name: Some(self.name(ending)), labels: Some(self.labels()), ..ObjectMeta::default() }
    }

    /// Adds the common labels to an object that has a name already.
    pub(super) fn label(&self, mut meta: ObjectMeta) -> ObjectMeta {
        meta.labels.get_or_insert_default().extend(self.labels());
        meta
    }

    /// The labels of every object.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let mut labels = self.selector();
        labels.insert(MANAGED_BY.to_owned(), EVENKEEL.to_owned());
        labels.extend(self.parts.version.as_deref().and_then(label_value).map(|version| (VERSION.to_owned(), version)));
        labels
    }

    /// The labels of the pods of all Deployments of the operator. They do not change with the version.
    pub(super) fn selector(&self) -> BTreeMap<String, String> {
        [(NAME.to_owned(), self.parts.name.clone())].into()
    }

    /// The labels of the pods of this Deployment.
    pub(super) fn own_selector(&self) -> BTreeMap<String, String> {
        let mut labels = self.selector();
        labels.extend(self.is_shard().then(|| (INSTANCE.to_owned(), self.parts.instance.clone())));
        labels
    }

    /// Whether the operator has several Deployments, by label selectors.
    fn is_shard(&self) -> bool {
        self.parts.instance != self.parts.name
    }

    /// The metadata of an object that each Deployment has.
    pub(super) fn own_meta(&self) -> ObjectMeta {
        let mut meta = self.meta("");
        meta.name = Some(self.parts.instance.clone());
        meta.labels.get_or_insert_default().extend(self.own_selector());
        meta
    }
}

/// The version as the value of a label, which may not contain the `+` of build metadata.
fn label_value(version: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let text: String = version.chars().map(|c| if allowed(c) { c } else { '_' }).take(63).collect();
    let text = text.trim_matches(['-', '_', '.']);
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_fits_into_a_label() {
        assert_eq!(label_value("1.2.0").as_deref(), Some("1.2.0"));
        assert_eq!(label_value("1.2.0-rc.1+build 5").as_deref(), Some("1.2.0-rc.1_build_5"));
        assert_eq!(label_value("+"), None);
        assert_eq!(label_value(&"1".repeat(80)).map(|text| text.len()), Some(63));
    }
}
