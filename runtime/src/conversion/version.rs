//! The conversion of the parts of an object between one served version and the stored one.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use super::difference::differences;
use super::guarded::{Failed, call};
use super::registered::{RegisteredSpoke, described};
use super::setup_error::SetupError;
use super::stash::{self, Selection, TooLarge};
use super::wiring::ConvertFunctions;
use crate::rule::wire_path;

/// The parts that are converted: the spec, and the status if it has functions.
pub(super) type Parts = Map<String, Value>;

type Call = fn(&ConvertFunctions) -> fn(Value) -> Result<Value, String>;

/// A served version that is not stored.
pub(super) struct Version {
    pub(super) registered: RegisteredSpoke,
    /// What is stashed; `None`: nothing.
    pub(super) stash: Option<Selection>,
    /// What is lost on purpose, in the names of the schema.
    pub(super) lossy: Vec<Vec<String>>,
    /// The schema of the stored version.
    schema: Option<JSONSchemaProps>,
}

/// Why the parts of the stored version cannot be converted.
pub(super) enum DownFailed {
    Failed(Failed),
    TooLarge(TooLarge),
}

impl From<Failed> for DownFailed {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}

impl Version {
    /// # Errors
    /// A path is not in the schema of the stored version.
    pub(super) fn new(registered: RegisteredSpoke) -> Result<Self, SetupError> {
        let definition = (registered.wiring.hub.definition)();
        let versions = definition.spec.versions.into_iter();
        let mut versions = versions.filter(|version| version.name == registered.hub.resource.version);
        let schema = versions.next().and_then(|version| version.schema?.open_api_v3_schema);
        let wiring = &registered.wiring;
        let paths = |paths: &[&[&str]]| paths.iter().map(|path| find(&registered, schema.as_ref(), path)).collect();
        let kept: Option<Vec<_>> = wiring.stash.map(paths).transpose()?;
        let lossy: Vec<Vec<String>> = paths(wiring.lossy)?;
        let stash = kept.map(|kept| Selection { kept, lossy: lossy.clone() });
        Ok(Self { registered, stash, lossy, schema })
    }

    /// The parts of an object that are converted, of its members.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'static str> {
        ["spec"].into_iter().chain(self.registered.wiring.status.map(|_| "status"))
    }

    /// Converts to the stored version, and puts back what was stashed.
    pub(super) fn up(&self, parts: &Parts, stash: Option<&str>) -> Result<Parts, Failed> {
        let converted = self.each(parts, |functions| functions.up)?;
        let restored = stash.filter(|_| self.stash.is_some()).and_then(|stash| self.restored(&converted, stash));
        self.without_nulls(restored.unwrap_or(converted), |functions| functions.hub)
    }

    /// The parts with the stashed values; `None` if they do not fit the type, as those of a stash that its user has changed.
    fn restored(&self, converted: &Parts, stash: &str) -> Option<Parts> {
        let mut object = Value::Object(converted.clone());
        stash::restore(&mut object, stash);
        let Value::Object(parts) = object else { return None };
        self.each(&parts, |functions| functions.hub).ok()
    }

    /// Converts from the stored version. Returns the text of the stash as well, if something is lost.
    pub(super) fn down(&self, parts: &Parts) -> Result<(Parts, Option<String>), DownFailed> {
        let converted = self.each(parts, |functions| functions.down)?;
        let stash = match &self.stash {
            None => None,
            Some(selection) => {
                let hub = Value::Object(self.each(parts, |functions| functions.hub)?);
                let back = Value::Object(self.each(&converted, |functions| functions.up)?);
                let lost = differences(&hub, &back, self.schema.as_ref());
                stash::write(lost, selection).map_err(DownFailed::TooLarge)?
            }
        };
        Ok((self.without_nulls(converted, |functions| functions.spoke)?, stash))
    }

    /// Calls a function for each part.
    fn each(&self, parts: &Parts, function: Call) -> Result<Parts, Failed> {
        let wiring = &self.registered.wiring;
        let mut all = Parts::new();
        for (name, functions) in [("spec", Some(&wiring.spec)), ("status", wiring.status.as_ref())] {
            let Some(functions) = functions else { continue };
            let Some(value) = parts.get(name) else { continue };
            all.insert(name.to_owned(), call(function(functions), name, value.clone())?);
        }
        Ok(all)
    }

    /// The parts without `null` members, if they mean the same. A field that is `None` becomes `null` otherwise, and is stored so.
    fn without_nulls(&self, parts: Parts, normal: Call) -> Result<Parts, Failed> {
        let mut stripped = Value::Object(parts.clone());
        if strip(&mut stripped) == 0 {
            return Ok(parts);
        }
        let Value::Object(stripped) = stripped else { return Ok(parts) };
        match self.each(&stripped, normal) {
            Ok(same) if same == parts => Ok(stripped),
            _ => Ok(parts),
        }
    }
}

/// Removes members that are `null`, and counts them.
fn strip(value: &mut Value) -> usize {
    match value {
        Value::Object(map) => {
            let before = map.len();
            map.retain(|_, value| !value.is_null());
            before - map.len() + map.values_mut().map(strip).sum::<usize>()
        }
        Value::Array(items) => items.iter_mut().map(strip).sum(),
        _ => 0,
    }
}

/// The names in the schema of a path in the names of Rust.
fn find(
    registered: &RegisteredSpoke,
    schema: Option<&JSONSchemaProps>,
    path: &[&str],
) -> Result<Vec<String>, SetupError> {
    let names = || path.iter().map(|name| (*name).to_owned()).collect();
    let Some(schema) = schema else { return Ok(names()) };
    wire_path(schema, path).map_err(|(what, help)| {
        let (path, hub) = (path.join("."), described(&registered.hub));
        SetupError { headline: format!("the path {path} of {} is not in {hub}: {what}", registered.name()), help }
    })
}
