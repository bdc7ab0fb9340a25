//! The normal form of a manifest: what is sent, without what only the server sets.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::digest::Digest;
use super::id::{ObjectId, is_built_in};
use super::invalid::InvalidManifest;
use super::json_text::JsonText;
use super::kind_rules;
use super::type_meta::TypeMeta;
use crate::dependent_rules::policy::{Annotations, Overrides};

/// Fields of the metadata that only the server sets.
const SERVER_METADATA: [&str; 8] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Where a manifest is applied.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Whether objects of its kind live in a namespace.
    pub namespaced: bool,
    /// The namespace of an object that names none.
    pub default_namespace: Option<&'a str>,
    /// A prefix under which annotations are read in addition to evenkeel's own.
    pub prefix: Option<&'a str>,
}

/// One object that a step wants, in normal form.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its identity.
    pub id: ObjectId,
    /// The kind and version in which it is sent.
    pub kind: TypeMeta,
    /// What is sent, without the marks of evenkeel.
    pub object: JsonText,
    /// The digest of what is sent, without the settings and the version, which do not change the object.
    pub content: Digest,
    /// The annotations that are settings, which do not count as content.
    pub settings: BTreeMap<String, String>,
    /// What its annotations override.
    pub overrides: Overrides,
}

impl Manifest {
    /// Checks a manifest and brings it into normal form.
    ///
    /// Removed are the status, fields of the metadata that the server sets, the marks of evenkeel, and null values, except in kinds of CRDs,
    /// where null may have a meaning. The namespace is filled in or removed by the scope of the kind. `stringData` of a Secret becomes `data`, and ports get the
    /// protocol TCP if they have none. A Job loses `ttlSecondsAfterFinished`, and gets its own wave as purge order instead.
    ///
    /// # Errors
    /// The manifest has no name, or a generated one; a label or an annotation is no text, or is no setting; or the kind needs a namespace and
    /// there is none.
    pub fn new(manifest: &Value, scope: Scope<'_>) -> Result<Self, InvalidManifest> {
        let kind = TypeMeta::read(manifest)?;
        let id = identity(&kind, manifest, scope)?;
        let mut object = manifest.as_object().cloned().unwrap_or_default();
        object.remove("status");
        kind_rules::adapt(&kind, &mut object);
        let has_ttl = kind_rules::take_ttl(&kind, &mut object);
        if is_built_in(&kind.group) {
            object.values_mut().for_each(drop_nulls);
            object.retain(|_, value| !value.is_null());
        }
        let (mut overrides, settings) = adapt_metadata(&id, &mut object, scope)?;
        if has_ttl {
            overrides.purge_order = overrides.purge_order.or(Some(overrides.apply_order.unwrap_or_default()));
        }
        let object = Value::Object(object);
        let content = Digest::of_object(&object, &settings);
        let Some(object) = JsonText::of(&object) else {
            return Err(InvalidManifest::new(id, "the object", "it has more than 120 levels"));
        };
        Ok(Self { id, kind, object, content, settings, overrides })
    }
}

impl Manifest {
    /// The digest of the content, and of the component if the object depends on it.
    #[must_use]
    pub fn content_digest(&self, component: Option<&str>) -> Digest {
        component.map_or(self.content, |component| Digest::of_all([self.content, Digest::of_bytes(component)]))
    }

    /// The digest of the settings and of the version: what is sent, too, but changes nothing that the object does.
    #[must_use]
    pub fn settings_digest(&self) -> Digest {
        Digest::of_settings(&self.kind.version, &self.settings)
    }
}

/// The identity of the object, with the namespace that its scope requires.
fn identity(kind: &TypeMeta, manifest: &Value, scope: Scope<'_>) -> Result<ObjectId, InvalidManifest> {
    let meta = &manifest["metadata"];
    let text = |field: &str| meta[field].as_str().filter(|text| !text.is_empty());
    if text("generateName").is_some() {
        let problem = "a generated name makes a new object in every pass; write `metadata.name`";
        return Err(InvalidManifest::new(format!("a {kind}"), "metadata.generateName", problem));
    }
    let Some(name) = text("name") else {
        return Err(InvalidManifest::new(format!("a {kind}"), "metadata.name", "it is missing"));
    };
    let namespace = text("namespace").or(scope.default_namespace).filter(|_| scope.namespaced);
    if scope.namespaced && namespace.is_none() {
        let problem = "it is missing, and the component is cluster-scoped; write the namespace";
        return Err(InvalidManifest::new(format!("{kind} {name}"), "metadata.namespace", problem));
    }
    let namespace = namespace.map(ToOwned::to_owned);
    Ok(ObjectId { group: kind.group.clone(), kind: kind.kind.clone(), namespace, name: name.to_owned() })
}

/// Brings the metadata into normal form, and returns what its annotations set.
fn adapt_metadata(
    id: &ObjectId,
    object: &mut Map<String, Value>,
    scope: Scope<'_>,
) -> Result<(Overrides, BTreeMap<String, String>), InvalidManifest> {
    let Some(Value::Object(meta)) = object.get_mut("metadata") else { return Ok(Default::default()) };
    meta.values_mut().for_each(drop_nulls);
    meta.retain(|field, value| !value.is_null() && !SERVER_METADATA.contains(&field.as_str()));
    match &id.namespace {
        Some(namespace) => meta.insert("namespace".into(), namespace.as_str().into()),
        None => meta.remove("namespace"),
    };
    for field in ["labels", "annotations"] {
        if let Some(Value::Object(all)) = meta.get_mut(field) {
            all.retain(|key, _| !Annotations::is_mark(key));
        }
    }
    texts(id, "labels", meta)?;
    let annotations = texts(id, "annotations", meta)?;
    let read = Annotations::new(&annotations, scope.prefix);
    let overrides = read.overrides().map_err(|error| {
        InvalidManifest::new(id, format!("metadata.annotations[{}]", error.annotation), error.problem)
    })?;
    let settings = annotations.iter().filter(|(name, _)| read.is_setting(name));
    Ok((overrides, settings.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

/// The labels or the annotations.
fn texts(id: &ObjectId, field: &str, meta: &Map<String, Value>) -> Result<BTreeMap<String, String>, InvalidManifest> {
    let invalid = |name: &str, problem: &str| InvalidManifest::new(id, format!("metadata.{field}{name}"), problem);
    match meta.get(field) {
        None => Ok(BTreeMap::new()),
        Some(Value::Object(all)) => {
            let of = |(name, value): (&String, &Value)| match value.as_str() {
                Some(text) => Ok((name.clone(), text.to_owned())),
                None => Err(invalid(&format!("[{name}]"), "the value is no text; put it in quotation marks")),
            };
            all.iter().map(of).collect()
        }
        Some(_) => Err(invalid("", "it is no map of texts")),
    }
}

/// Removes the null values of maps. Those of lists stay, as they have a place there.
pub(crate) fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEAM: Scope<'_> = Scope { namespaced: true, default_namespace: Some("team-a"), prefix: None };

    fn sent(manifest: &Value) -> Value {
        Manifest::new(manifest, TEAM).unwrap().object.value()
    }

    fn error(manifest: &Value) -> String {
        Manifest::new(manifest, TEAM).unwrap_err().to_string()
    }

    #[test]
    fn fields_of_the_server_are_not_sent() {
        let exported = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "status": { "replicas": 1 },
            "metadata": { "name": "web", "uid": "1", "resourceVersion": "2", "creationTimestamp": null, "managedFields": [] },
            "spec": { "replicas": null, "template": { "spec": { "containers": [{ "name": "a", "command": null }] } } },
        });
        let expected = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "team-a" },
            "spec": { "template": { "spec": { "containers": [{ "name": "a" }] } } },
        });
        assert_eq!(sent(&exported), expected);
    }

    #[test]
    fn null_stays_in_kinds_of_crds() {
        let release = json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "metadata": { "name": "web", "annotations": null }, "spec": { "values": { "image": null } },
        });
        let sent = sent(&release);
        assert_eq!(sent["spec"], release["spec"]);
        assert_eq!(sent["metadata"], json!({ "name": "web", "namespace": "team-a" }));
    }

    #[test]
    fn string_data_becomes_data() {
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "login" },
            "data": { "user": "eA==" }, "stringData": { "user": "y", "password": "z" },
        });
        let sent = sent(&secret);
        assert_eq!(
            (&sent["data"], &sent["stringData"]),
            (&json!({ "user": "eQ==", "password": "eg==" }), &Value::Null)
        );
    }

    #[test]
    fn a_secret_of_another_form_is_left_to_the_api_server() {
        for (data, texts) in
            [(json!("x"), json!({ "a": "b" })), (json!({}), json!({ "a": 1 })), (json!({}), json!("x"))]
        {
            let meta = json!({ "name": "login" });
            let secret =
                json!({ "apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data, "stringData": texts });
            let sent = sent(&secret);
            assert_eq!((&sent["data"], &sent["stringData"]), (&data, &texts));
        }
    }

    #[test]
    fn marks_of_an_exported_manifest_are_not_sent() {
        let labels = json!({ "evenkeel.dev/dependent-of": "x", "app": "web" });
        let annotations =
            json!({ "evenkeel.dev/owner": "x", "evenkeel.dev/applied": "1", "evenkeel.dev/suspend": "true" });
        let meta = json!({ "name": "x", "labels": labels, "annotations": annotations });
        let sent = sent(&json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta }));
        assert_eq!(sent["metadata"]["labels"], json!({ "app": "web" }));
        assert_eq!(sent["metadata"]["annotations"], json!({ "evenkeel.dev/suspend": "true" }));
    }

    #[test]
    fn ports_without_protocol_use_tcp() {
        let ports = json!([{ "port": 53, "protocol": "UDP" }, { "port": 80 }]);
        let expected = json!([{ "port": 53, "protocol": "UDP" }, { "port": 80, "protocol": "TCP" }]);
        let meta = json!({ "name": "web" });
        let service = json!({ "apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": { "ports": ports } });
        assert_eq!(sent(&service)["spec"]["ports"], expected);
        let pod = json!({ "spec": { "initContainers": [{ "ports": ports }] } });
        let cron = json!({ "jobTemplate": { "spec": { "template": pod } } });
        for (api_version, kind, spec) in [("batch/v1", "CronJob", cron), ("v1", "Pod", pod["spec"].clone())] {
            let sent = sent(&json!({ "apiVersion": api_version, "kind": kind, "metadata": meta, "spec": spec }));
            assert!(sent.to_string().contains(&expected.to_string()), "{sent}");
        }
        let foreign = json!({ "apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": meta, "spec": { "ports": ports } });
        assert_eq!(sent(&foreign)["spec"]["ports"], ports);
    }

    #[test]
    fn a_job_that_removes_itself_is_purged_instead() {
        let job = |annotations: Value, ttl: Value| {
            let meta = json!({ "name": "migrate", "annotations": annotations });
            let spec = json!({ "ttlSecondsAfterFinished": ttl });
            let job = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec });
            let manifest = Manifest::new(&job, TEAM).unwrap();
            assert_eq!(manifest.object.value()["spec"], json!({}));
            manifest.overrides.purge_order
        };
        assert_eq!(job(json!({}), json!(60)), Some(0));
        assert_eq!(job(json!({ "evenkeel.dev/apply-order": "2" }), json!(0)), Some(2));
        assert_eq!(job(json!({ "evenkeel.dev/purge-order": "5" }), json!(0)), Some(5));
        assert_eq!(job(json!({}), Value::Null), None);
    }

    #[test]
    fn an_invalid_manifest_names_object_and_field() {
        let with = |meta: Value| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": meta });
        assert_eq!(
            error(&json!({ "metadata": { "name": "x" } })),
            "the manifest of x: apiVersion: it is missing; write for example `v1`, `ConfigMap`"
        );
        assert_eq!(error(&with(json!({}))), "a v1/ConfigMap: metadata.name: it is missing");
        let generated = error(&with(json!({ "generateName": "x-" })));
        assert!(generated.starts_with("a v1/ConfigMap: metadata.generateName: "), "{generated}");
        let label = error(&with(json!({ "name": "x", "labels": { "port": 8080 } })));
        assert_eq!(label, "ConfigMap team-a/x: metadata.labels[port]: the value is no text; put it in quotation marks");
        let order = error(&with(json!({ "name": "x", "annotations": { "evenkeel.dev/apply-order": "first" } })));
        assert!(
            order.starts_with("ConfigMap team-a/x: metadata.annotations[evenkeel.dev/apply-order]: `first` "),
            "{order}"
        );
        let nowhere = Scope { default_namespace: None, ..TEAM };
        let error = Manifest::new(&with(json!({ "name": "x" })), nowhere).unwrap_err().to_string();
        assert!(error.starts_with("v1/ConfigMap x: metadata.namespace: it is missing"), "{error}");
    }
}
