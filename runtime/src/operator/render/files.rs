//! The objects in the files of the command line.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use kube::core::DynamicObject;
use serde_json::Value;

use crate::dependent_rules::manifest::{Manifest, Scope, TypeMeta};
use crate::operator::error::{Error, Reason, Result};
use crate::pipeline::dependents::documents;
use crate::pipeline::object::Object;
use crate::render::{Given, GivenObject, Renderer};
use crate::wiring::KindInfo;

/// The object whose dependents are rendered.
pub(super) struct Component {
    file: String,
    manifest: Value,
    kind: TypeMeta,
    namespace: Option<String>,
    /// The object as messages name it: `Shop team-a/main`.
    pub(super) title: String,
}

impl Component {
    /// The reconcilers of the kind of the object that keep dependents.
    pub(super) fn renderers<'r>(&self, renderers: &'r [Renderer]) -> impl Iterator<Item = &'r Renderer> {
        renderers.iter().filter(|renderer| is_of(&renderer.kind(), &self.kind) && renderer.has_sets())
    }

    /// The object as the type of a reconciler.
    pub(super) fn object(&self, renderer: &Renderer) -> Result<Arc<Object>> {
        renderer.object(self.manifest.clone()).map_err(|problem| {
            let headline = format!("{}: the {} does not fit its type: {problem}", self.file, self.title);
            unusable(headline, "correct the field")
        })
    }
}

fn is_of(kind: &KindInfo, of: &TypeMeta) -> bool {
    kind.resource.group == of.group && kind.resource.kind == of.kind
}

/// The one object of a file, which is of a kind that the operator reconciles.
pub(super) fn component(path: &Path, namespace: &str, renderers: &[Renderer], operator: &str) -> Result<Component> {
    let (file, mut objects) = read(path)?;
    let mut manifest = match objects.len() {
        1 => objects.remove(0),
        0 => return Err(unusable(format!("{file} contains no object"), "write the manifest of one object into it")),
        count => {
            let headline = format!("{file} contains {count} objects, and `render` takes one");
            return Err(unusable(headline, "move the others into a file for `--with`"));
        }
    };
    let kind = kind_of(&file, &manifest)?;
    let name = name_of(&file, &kind, &manifest)?;
    let mut of_kind = renderers.iter().filter(|renderer| is_of(&renderer.kind(), &kind));
    let Some(first) = of_kind.next() else {
        let headline = format!("{file}: {operator} does not reconcile the kind of {} {name}: {kind}", kind.kind);
        return Err(unusable(headline, format!("give an object of one of its kinds: {}", kinds(renderers))));
    };
    let KindInfo { resource, namespaced } = first.kind();
    if resource.version != kind.version {
        let headline =
            format!("{file}: {} {name}: apiVersion: the operator reconciles {}", kind.kind, resource.api_version);
        return Err(unusable(headline, "convert the manifest to that version"));
    }
    if !first.has_sets() && !of_kind.any(Renderer::has_sets) {
        let headline =
            format!("{file}: no step for {} {name} has `dependents(..)`, so there is nothing to render", kind.kind);
        return Err(unusable(headline, "give an object with dependents"));
    }
    let namespace = place(&mut manifest, namespaced.then_some(namespace));
    let title = format!("{} {}{name}", kind.kind, namespace.iter().fold(String::new(), |_, place| format!("{place}/")));
    Ok(Component { file, manifest, kind, namespace, title })
}

/// Sets the namespace of an object that names none; `None`: its kind has no namespace. Returns it.
fn place(manifest: &mut Value, default: Option<&str>) -> Option<String> {
    let default = default?;
    let namespace = manifest["metadata"]["namespace"].as_str().unwrap_or(default).to_owned();
    manifest["metadata"]["namespace"] = namespace.as_str().into();
    Some(namespace)
}

/// The kinds with dependents that the operator reconciles.
fn kinds(renderers: &[Renderer]) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for kind in renderers.iter().filter(|renderer| renderer.has_sets()).map(Renderer::kind) {
        let text = format!("{}/{}", kind.resource.api_version, kind.resource.kind);
        if !kinds.contains(&text) {
            kinds.push(text);
        }
    }
    if kinds.is_empty() { "none has dependents".into() } else { kinds.join(", ") }
}

/// The objects that steps may read: the component, and those of the files. Without a namespace they are in that of the component.
pub(super) fn given(paths: &[impl AsRef<Path>], component: &Component) -> Result<Given> {
    let Component { file, manifest, namespace, .. } = component;
    let namespace = namespace.as_deref();
    let mut all = vec![GivenObject { file: file.clone(), object: given_object(file, manifest, namespace)?.into() }];
    for path in paths {
        let (file, objects) = read(path.as_ref())?;
        if objects.is_empty() {
            return Err(unusable(
                format!("{file} contains no object"),
                "write the objects that the steps read into it",
            ));
        }
        for manifest in objects {
            let object = given_object(&file, &manifest, namespace)?;
            let is_same = |other: &&GivenObject| {
                let (one, other) = (&object, &other.object);
                one.types == other.types
                    && one.metadata.name == other.metadata.name
                    && one.metadata.namespace == other.metadata.namespace
            };
            if let Some(other) = all.iter().find(is_same) {
                let shown = shown(&object);
                return Err(unusable(format!("{file}: {shown} is also in {}", other.file), "remove one of both"));
            }
            all.push(GivenObject { file: file.clone(), object: Arc::new(object) });
        }
    }
    Ok(Given(all))
}

/// The object as the API server would return it.
fn given_object(file: &str, manifest: &Value, namespace: Option<&str>) -> Result<DynamicObject> {
    let kind = kind_of(file, manifest)?;
    let name = name_of(file, &kind, manifest)?;
    let info = KindInfo::by_text(&kind.api_version(), &kind.kind, None);
    let scope = Scope { namespaced: info.namespaced, default_namespace: namespace.or(Some("default")), prefix: None };
    let mut object = manifest.clone();
    if kind.group.is_empty() && kind.kind == "Secret" {
        // The normal form has `data` only, as the steps expect it.
        object = Manifest::new(manifest, scope)
            .map_err(|error| unusable(format!("{file}: {error}"), "correct the field"))?
            .object
            .value();
    }
    if info.namespaced && object["metadata"]["namespace"].is_null() {
        object["metadata"]["namespace"] = namespace.unwrap_or("default").into();
    }
    serde_json::from_value(object).map_err(|error| {
        unusable(format!("{file}: the {} {name} is no object: {error}", kind.kind), "correct its metadata")
    })
}

fn shown(object: &DynamicObject) -> String {
    let kind = object.types.as_ref().map(|types| types.kind.as_str()).unwrap_or_default();
    let namespace = object.metadata.namespace.iter().fold(String::new(), |_, namespace| format!("{namespace}/"));
    format!("{kind} {namespace}{}", object.metadata.name.as_deref().unwrap_or_default())
}

fn kind_of(file: &str, manifest: &Value) -> Result<TypeMeta> {
    TypeMeta::read(manifest).map_err(|error| unusable(format!("{file}: {error}"), "correct the field"))
}

fn name_of(file: &str, kind: &TypeMeta, manifest: &Value) -> Result<String> {
    let name = manifest["metadata"]["name"].as_str().filter(|name| !name.is_empty());
    let missing =
        || unusable(format!("{file}: a {}: metadata.name: it is missing", kind.kind), "write the name of the object");
    name.map(ToOwned::to_owned).ok_or_else(missing)
}

/// The objects of a file, and how messages name the file. `-` is standard input.
fn read(path: &Path) -> Result<(String, Vec<Value>)> {
    let (file, text) = if path.as_os_str() == "-" {
        let mut text = String::new();
        ("standard input".to_owned(), std::io::stdin().read_to_string(&mut text).map(|_| text))
    } else {
        (path.display().to_string(), std::fs::read_to_string(path))
    };
    let text =
        text.map_err(|error| unusable(format!("{file} cannot be read: {error}"), "check the path").caused_by(error))?;
    let objects = documents(&text).map_err(|(line, cause)| {
        let line = line.map_or(String::new(), |line| format!(", line {line}"));
        unusable(format!("{file}{line}: {cause}"), "write YAML or JSON")
    })?;
    match objects.iter().all(Value::is_object) {
        true => Ok((file, objects)),
        false => Err(unusable(format!("{file}: a document is no object"), "write `apiVersion`, `kind` and `metadata`")),
    }
}

fn unusable(headline: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(Reason::Render, headline, help)
}
