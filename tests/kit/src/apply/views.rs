//! Objects in several versions of their kind: fields are compared and released in the version in which they are owned.

use std::borrow::Cow;

use serde_json::Value;

use super::actor::Lists;
use super::shape::Shape;
use super::typed;
use super::versions::Versions;

/// The types of a kind in the version of the request and in the others.
#[derive(Clone, Copy)]
pub(super) struct Views<'a> {
    pub(super) shape: Shape<'a>,
    own: &'a str,
    versions: Option<&'a dyn Versions>,
}

impl<'a> Views<'a> {
    /// The views of `object`, which is in the version `own`.
    pub(super) fn new(lists: Lists<'a>, object: &Value, own: &'a str) -> Self {
        let versions = match lists {
            Lists::Versions(_, versions) => Some(versions),
            Lists::Structural(_) | Lists::Deduced => None,
        };
        Views { shape: Shape::root(lists, object), own, versions }
    }

    /// Whether objects look different in a version than in that of the request.
    pub(super) fn differ(&self, api_version: &str) -> bool {
        self.versions.is_some() && api_version != self.own
    }

    /// Returns an object in the version of the request.
    pub(super) fn own<'v>(&self, object: &'v Value) -> Result<Cow<'v, Value>, String> {
        self.of(object, self.own).map(|(object, _)| object)
    }

    /// Returns an object in a version, with the types of this version. All versions of a built-in kind are alike.
    pub(super) fn of<'v>(&self, object: &'v Value, api_version: &str) -> Result<(Cow<'v, Value>, Shape<'a>), String> {
        let Some(versions) = self.versions else { return Ok((Cow::Borrowed(object), self.shape)) };
        let unknown = || format!("request to convert CR to an invalid group/version: {api_version}");
        let shape = match api_version == self.own {
            true => self.shape,
            false => Shape::Resource(versions.schema(api_version).ok_or_else(unknown)?),
        };
        // An object that is not yet created has no version.
        if object["apiVersion"].as_str().is_none_or(|version| version == api_version) {
            return Ok((Cow::Borrowed(object), shape));
        }
        let converted = versions.convert(object, api_version)?;
        typed::check(&converted, shape)?;
        Ok((Cow::Owned(converted), shape))
    }
}
