//! Content negotiation: in which form objects and lists are written.

use http::HeaderMap;
use http::header::ACCEPT;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::registry::Kind;

/// The form asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The objects themselves.
    Full,
    /// `PartialObjectMetadata` of one object.
    Metadata,
    /// `PartialObjectMetadataList`.
    MetadataList,
}

/// What is being answered with, for checks of the asked form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Object,
    List,
}

/// Media types whose JSON form is written.
const MEDIA: [&str; 3] = ["application/json", "*/*", "application/*"];

impl Shape {
    /// The first form in the Accept header that can be written.
    pub(crate) fn negotiate(headers: &HeaderMap) -> Result<Shape, Failure> {
        let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let offers: Vec<&str> =
            accepts.flat_map(|value| value.split(',')).map(str::trim).filter(|offer| !offer.is_empty()).collect();
        if offers.is_empty() {
            return Ok(Shape::Full);
        }
        let is_known = offers.iter().any(|offer| MEDIA.contains(&offer.split(';').next().unwrap_or_default().trim()));
        let refusal =
            || if is_known { Failure::not_acceptable() } else { Failure::not_acceptable().with_details(json!({})) };
        offers.into_iter().find_map(parse).ok_or_else(refusal)
    }

    /// Refuses the form of one object for a list, and the other way round.
    pub(crate) fn fits(self, kind: &Kind, subject: Subject) -> Result<(), Failure> {
        let refuse = |form: &str, is: &str| {
            let message = format!("you requested {form}, but the requested object {is} (*v1.{})", kind.kind);
            Err(Failure::status(406, "NotAcceptable", message))
        };
        match (self, subject) {
            (Shape::Metadata, Subject::List) => refuse("PartialObjectMetadata", "is a list"),
            (Shape::MetadataList, Subject::Object) => refuse("PartialObjectMetadataList", "is not a list"),
            _ => Ok(()),
        }
    }

    /// `kind` and `apiVersion` of a list in this form.
    pub(crate) fn list_type(self, kind: &Kind) -> (String, String) {
        match self {
            Shape::Full => (kind.list_kind.clone(), kind.api_version()),
            _ => ("PartialObjectMetadataList".to_owned(), "meta.k8s.io/v1".to_owned()),
        }
    }
}

fn parse(offer: &str) -> Option<Shape> {
    let mut parts = offer.split(';').map(str::trim);
    let media = parts.next()?;
    let parameter = |name: &str| parts.clone().find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    if !MEDIA.contains(&media) {
        return None;
    }
    let meta_v1 = parameter("g").is_none_or(|group| group == "meta.k8s.io") && parameter("v") == Some("v1");
    match parameter("as") {
        None => Some(Shape::Full),
        Some("PartialObjectMetadata") if meta_v1 => Some(Shape::Metadata),
        Some("PartialObjectMetadataList") if meta_v1 => Some(Shape::MetadataList),
        Some(_) => None,
    }
}

/// Writes an object in the asked form.
pub(crate) struct View<'a> {
    pub(crate) shape: Shape,
    pub(crate) object: &'a Value,
    pub(crate) place: Place,
}

/// Where an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Alone, or in a list of custom objects: with its type.
    Typed,
    /// In a list of a built-in kind: the list has the type.
    Untyped,
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if self.shape != Shape::Full {
            map.serialize_entry("kind", "PartialObjectMetadata")?;
            map.serialize_entry("apiVersion", "meta.k8s.io/v1")?;
            map.serialize_entry("metadata", &self.object["metadata"])?;
            return map.end();
        }
        let typed = |key: &str| key == "kind" || key == "apiVersion";
        for (key, value) in self.object.as_object().into_iter().flatten() {
            if self.place == Place::Typed || !typed(key) {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}
