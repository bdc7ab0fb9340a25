//! The API version and the kind of a manifest.

use kube::core::ApiResource;
use serde_json::Value;

use super::invalid::InvalidManifest;

/// The group, the version and the kind of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeMeta {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl TypeMeta {
    /// Reads `apiVersion` and `kind`.
    ///
    /// # Errors
    /// One of them is missing or empty, or is no text.
    pub fn read(manifest: &Value) -> Result<Self, InvalidManifest> {
        let name = manifest["metadata"]["name"].as_str();
        let text = |field: &'static str| {
            let text = manifest[field].as_str().filter(|text| !text.is_empty());
            let object = || name.map_or_else(|| "a manifest".to_owned(), |name| format!("the manifest of {name}"));
            text.ok_or_else(|| {
                InvalidManifest::new(object(), field, "it is missing; write for example `v1`, `ConfigMap`")
            })
        };
        let (api_version, kind) = (text("apiVersion")?, text("kind")?);
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Ok(Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() })
    }

    /// Checks that the manifest of a Rust value is of the kind of its type.
    ///
    /// # Errors
    /// It is of another kind.
    pub fn check_typed(&self, resource: &ApiResource) -> Result<(), InvalidManifest> {
        let is_same = self.group == resource.group && self.version == resource.version && self.kind == resource.kind;
        let object = format!("a {}", resource.kind);
        let problem = || format!("it is {self}, but the type is {}/{}", resource.api_version, resource.kind);
        if is_same { Ok(()) } else { Err(InvalidManifest::new(object, "apiVersion, kind", problem())) }
    }

    /// `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        let Self { group, version, .. } = self;
        if group.is_empty() { version.clone() } else { format!("{group}/{version}") }
    }
}

impl std::fmt::Display for TypeMeta {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.kind)
    }
}
