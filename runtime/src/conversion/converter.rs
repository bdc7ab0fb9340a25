//! The conversion of whole objects between all versions of one kind.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::annotation;
use super::guarded::Failed;
use super::raw_object::Members;
use super::registered::RegisteredSpoke;
use super::setup_error::SetupError;
use super::version::{DownFailed, Parts, Version};
use crate::kind::KindInfo;

/// The conversions of one kind. Clients see one object in each version.
#[doc(hidden)]
pub struct Converter {
    hub: KindInfo,
    crd: String,
    /// The domain of the annotation.
    domain: String,
    versions: Vec<Version>,
}

/// How the conversion of an object ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Ended {
    /// In the other version, or already in it.
    Converted,
    /// It does not fit the type of its version; the text names the field. Only the version is another.
    Undecodable(String),
    /// A function panicked. Only the version is another.
    Panicked,
}

/// A converted object.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Converted {
    pub object: Box<RawValue>,
    pub ended: Ended,
}

impl Converter {
    /// The conversions of versions that have one stored version.
    ///
    /// # Errors
    /// A declared path is not in the schema of the stored version. Without a version there is nothing to convert.
    pub fn new(spokes: Vec<RegisteredSpoke>, domain: &str) -> Result<Self, SetupError> {
        let Some((hub, crd)) = spokes.first().map(|first| (first.hub.clone(), first.crd_name())) else {
            let (headline, help) = ("there is no version to convert".to_owned(), "name one in `serves`".to_owned());
            return Err(SetupError { headline, help });
        };
        let versions = spokes.into_iter().map(Version::new).collect::<Result<_, _>>()?;
        Ok(Self { hub, crd, domain: domain.to_owned(), versions })
    }

    /// The name of the CRD.
    #[must_use]
    pub fn crd(&self) -> &str {
        &self.crd
    }

    /// The served versions, that of the hub first.
    pub(crate) fn versions(&self) -> impl Iterator<Item = &str> {
        let spokes = self.versions.iter().map(|version| &*version.registered.spoke.resource.version);
        [&*self.hub.resource.version].into_iter().chain(spokes)
    }

    /// Converts an object to the version with this `apiVersion`.
    ///
    /// # Errors
    /// One of the versions is none of the kind, or what is to be stashed is too large. The message names the object and the fix.
    pub fn convert(&self, raw: &RawValue, desired: &str) -> Result<Converted, String> {
        let members = Members::of(raw).ok_or("one of the objects is no JSON object")?;
        let from = members.text("apiVersion").unwrap_or_default();
        let kind = members.text("kind").unwrap_or_default();
        if kind != self.hub.resource.kind {
            return Err(format!("the object is a {kind:?}, and {} has the kind {}", self.crd, self.hub.resource.kind));
        }
        let (source, target) = (self.find(&from)?, self.find(desired)?);
        if from == desired {
            return Ok(Converted { object: raw.to_owned(), ended: Ended::Converted });
        }
        let (mut members, ended) = match self.between(&members, source, target) {
            Ok(converted) => (converted, Ended::Converted),
            Err(DownFailed::Failed(Failed::Undecodable(why))) => (members, Ended::Undecodable(why)),
            Err(DownFailed::Failed(Failed::Panicked)) => (members, Ended::Panicked),
            Err(DownFailed::TooLarge(too_large)) => {
                return Err(format!("{kind} {} cannot be read in {desired}: {too_large}", name(raw)));
            }
        };
        members.set("apiVersion", &desired);
        Ok(Converted { object: members.to_raw(), ended })
    }

    /// The same for JSON.
    ///
    /// # Errors
    /// Those of [`convert`](Self::convert).
    pub fn convert_value(&self, object: &Value, desired: &str) -> Result<(Value, Ended), String> {
        let raw = to_raw_value(object).map_err(|error| error.to_string())?;
        let Converted { object, ended } = self.convert(&raw, desired)?;
        Ok((serde_json::from_str(object.get()).map_err(|error| error.to_string())?, ended))
    }

    /// The paths of the stored version that a version loses on purpose, in the names of the schema.
    #[must_use]
    pub fn lossy(&self, version: &str) -> Vec<Vec<String>> {
        let version = self.versions.iter().find(|one| one.registered.spoke.resource.version == version);
        version.map(|version| version.lossy.clone()).unwrap_or_default()
    }

    /// The version with this `apiVersion`; `None` for the stored one.
    fn find(&self, api_version: &str) -> Result<Option<&Version>, String> {
        if api_version == self.hub.resource.api_version {
            return Ok(None);
        }
        let found = self.versions.iter().find(|version| version.registered.spoke.resource.api_version == api_version);
        found.map(Some).ok_or_else(|| {
            let versions = self.versions().collect::<Vec<_>>().join(", ");
            format!(
                "this operator does not convert {} in {api_version:?}, but in {versions}: install the CRD that its command `crds` prints",
                self.hub.resource.kind
            )
        })
    }

    /// Converts through the stored version.
    fn between<'a>(
        &self,
        members: &Members<'a>,
        source: Option<&Version>,
        target: Option<&Version>,
    ) -> Result<Members<'a>, DownFailed> {
        let mut hub = members.clone();
        if let Some(source) = source {
            let stash = annotation::read(members, &self.domain, &source.registered.spoke.resource.version);
            put(&mut hub, &source.up(&parts(members, source)?, stash.as_deref())?);
        }
        let Some(target) = target else {
            annotation::write(&mut hub, &self.domain, None);
            return Ok(hub);
        };
        let (converted, stash) = target.down(&parts(&hub, target)?)?;
        put(&mut hub, &converted);
        let version = &*target.registered.spoke.resource.version;
        annotation::write(&mut hub, &self.domain, stash.as_deref().map(|stash| (version, stash)));
        Ok(hub)
    }
}

/// The parts of an object that the version converts.
fn parts(members: &Members<'_>, version: &Version) -> Result<Parts, Failed> {
    let mut parts = Parts::new();
    for name in version.parts() {
        match members.value(name) {
            Some(Ok(value)) => parts.insert(name.to_owned(), value),
            Some(Err(why)) => return Err(Failed::Undecodable(format!("{name}: {why}"))),
            None if name == "spec" => return Err(Failed::Undecodable("spec: it is missing".to_owned())),
            None => continue,
        };
    }
    // An absent status may also be stored as null.
    parts.retain(|name, value| name == "spec" || !value.is_null());
    Ok(parts)
}

fn put(members: &mut Members<'_>, parts: &Parts) {
    for name in ["spec", "status"] {
        if let Some(value) = parts.get(name) {
            members.set(name, value);
        }
    }
}

/// `team-a/web`, or what is known of it.
pub(super) fn name(raw: &RawValue) -> String {
    let members = Members::of(raw).unwrap_or_default();
    let metadata = members.get("metadata").and_then(Members::of).unwrap_or_default();
    let name = metadata.text("name").unwrap_or_else(|| "(no name yet)".to_owned());
    metadata.text("namespace").into_iter().fold(name, |name, namespace| format!("{namespace}/{name}"))
}
